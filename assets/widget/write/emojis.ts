// emojis.ts lists the emoji of each group with the words they are found by.

/** A sign and its words. */
export type Sign = [string, string];

const of = (list: string): Sign[] =>
  list.split(",").map((one) => {
    const at = one.indexOf(" ");
    return [one.slice(0, at), one.slice(at + 1)];
  });

export const ALL = [
  "😀 grin happy,😃 smile happy,😄 laugh happy,😁 beam,😅 sweat relief,😂 joy tears laugh,🤣 rolling laugh,🙂 slight smile,😉 wink," +
    "😊 blush smile,😇 angel innocent,🥰 love hearts,😍 love eyes,🤩 star eyes wow,😘 kiss,😋 yum tasty,😛 tongue,😜 tongue wink," +
    "🤪 crazy,🤗 hug,🤭 giggle,🤫 quiet,🤔 think hmm,😐 neutral,😑 blank,😶 silent,🙄 roll eyes,😏 smirk,😬 grimace,😌 relieved," +
    "😴 sleep tired,🤒 ill fever,🤕 hurt,🤢 sick,🤯 mind blown,🥳 party,😎 cool sunglasses,🤓 nerd,😕 confused,😟 worried,🙁 frown," +
    "😮 surprised oh,😲 astonished,😳 flushed,🥺 pleading please,😢 cry sad,😭 sob sad,😱 scream fear,😓 sweat,😡 angry,😠 cross angry," +
    "💀 skull,👻 ghost,🤖 robot bot",
  "👍 thumbs up yes good,👎 thumbs down no bad,👌 ok fine,✌️ victory peace,🤞 fingers crossed luck,👈 left,👉 right,👆 up,👇 down," +
    "✋ hand stop,👋 wave hello bye,👏 clap bravo,🙌 hooray hands,🙏 thanks please pray,🤝 deal handshake,💪 strong muscle,✍️ write," +
    "👀 eyes look,👶 baby,🧒 child,👩 woman,👨 man,🧓 older person,🙋 raise hand,🤷 shrug,🤦 facepalm,💁 help info,🙇 bow sorry,🏃 run," +
    "🚶 walk,💃 dance,🧑‍💻 computer developer,👩‍🔧 mechanic,👮 police,👪 family,❤️ heart love,🧡 orange heart,💛 yellow heart," +
    "💚 green heart,💙 blue heart,💜 purple heart,🖤 black heart,💔 broken heart,💕 hearts",
  "🐶 dog,🐱 cat,🐭 mouse,🐰 rabbit,🦊 fox,🐻 bear,🐼 panda,🐯 tiger,🦁 lion,🐮 cow,🐷 pig,🐸 frog,🐔 chicken,🐧 penguin,🐦 bird," +
    "🦄 unicorn,🐝 bee,🦋 butterfly,🐞 ladybird,🐟 fish,🐬 dolphin,🐳 whale,🌵 cactus,🎄 tree christmas,🌲 fir tree,🌴 palm," +
    "🌱 plant seed,🍀 clover luck,🌹 rose,🌻 sunflower,🌸 blossom,🌍 earth world,🌙 moon,⭐ star,🌟 star glow,☀️ sun,⛅ cloud,🌧️ rain," +
    "⚡ lightning,❄️ snow cold,🔥 fire hot,🌈 rainbow,💧 water drop",
  "🍏 apple,🍌 banana,🍇 grapes,🍓 strawberry,🍒 cherry,🍑 peach,🍍 pineapple,🍅 tomato,🥑 avocado,🥕 carrot,🍞 bread,🥐 croissant," +
    "🧀 cheese,🍔 burger,🍟 fries,🍕 pizza,🌭 hotdog,🥪 sandwich,🥗 salad,🍝 pasta,🍜 noodles soup,🍣 sushi,🍦 ice cream,🍩 doughnut," +
    "🍪 cookie,🎂 cake birthday,🍰 cake,🍫 chocolate,🍿 popcorn,☕ coffee,🍵 tea,🥤 drink,🍺 beer,🍷 wine,🥂 cheers toast,🍾 champagne",
  "⚽ football soccer,🏀 basketball,🎾 tennis,⛷️ ski,🏊 swim,🚴 bike,🏆 trophy win,🥇 gold medal first,🎯 target,🎮 game," +
    "🎨 art paint,🎬 film,🎤 microphone sing,🎧 headphones,🎸 guitar,🎹 piano,🎉 party tada,🎈 balloon,🎁 gift present,🚗 car,🚕 taxi," +
    "🚌 bus,🚆 train,✈️ plane flight,🚀 rocket launch,🚢 ship,🏠 house home,🏢 office,🏥 hospital,🏖️ beach,⛰️ mountain,🗺️ map," +
    "⏰ alarm clock,⌛ hourglass wait",
  "📱 phone,💻 laptop computer,🖨️ printer,📷 camera,🎥 video,📞 telephone call,🔋 battery,🔌 plug,💡 idea light,💰 money,💳 card pay," +
    "🧾 receipt bill,📦 package parcel,📫 mail post,✉️ letter,📄 page document,📎 clip attach,📌 pin,✂️ scissors,🔒 lock,🔑 key," +
    "🔨 hammer,🔧 wrench fix,⚙️ settings gear,💊 pill,🛒 cart shop,🎓 study,📚 books,📅 calendar date,📈 chart up,📉 chart down," +
    "✅ check done yes,❌ cross no wrong,❗ exclamation important,❓ question,💯 hundred,➕ plus,➖ minus,⚠️ warning,🚫 forbidden," +
    "♻️ recycle,🔁 repeat,🆗 ok,🆕 new,🆘 help sos,🔴 red,🟢 green,🔵 blue,🏁 finish flag",
].map(of);
