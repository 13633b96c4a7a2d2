package chat

import (
	"hash/fnv"
	"strings"
)

// The words of nicknames: a colour or a kind of light, and an animal. Their order must not
// change, or visitors get other names.
const (
	nicknameTints = "Amber Azure Birch Bronze Cedar Cherry Clay Clover Cobalt Copper Coral Crimson Dawn Dusk Ember Fern " +
		"Flint Frost Ginger Golden Granite Hazel Heather Honey Indigo Iris Ivory Jade Jasmine Juniper Lagoon Lavender " +
		"Lemon Lilac Linen Lunar Maple Marble Marigold Mint Misty Mossy Ocean Olive Onyx Opal Orchid Pearl " +
		"Pine Plum Poppy Quartz Rose Ruby Rust Saffron Sage Sandy Silver Slate Solar Teal Umber Willow"
	nicknameAnimals = "Badger Beaver Bison Bobcat Canary Caribou Cheetah Chamois Condor Cormorant Crane Cricket Curlew Dolphin Dove Eagle " +
		"Egret Falcon Ferret Finch Firefly Gazelle Gecko Grouse Hare Hawk Hedgehog Heron Ibex Ibis Jackdaw Jaguar " +
		"Kestrel Kingfisher Koala Lark Lemur Linnet Lynx Magpie Marmot Marten Mole Moth Narwhal Newt Nightingale Ocelot " +
		"Oriole Osprey Otter Owl Panther Pelican Penguin Plover Puffin Quail Robin Salmon Seal Sparrow Swift Wren"
)

// Nickname is what operators call a visitor who gave no name: always the same for one
// visitor, and without any meaning.
func Nickname(visitorID string) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(visitorID)) // never fails
	n := sum.Sum64() >> 8
	tints, animals := strings.Fields(nicknameTints), strings.Fields(nicknameAnimals)
	tint := tints[n%uint64(len(tints))]
	return tint + " " + animals[n/uint64(len(tints))%uint64(len(animals))]
}
