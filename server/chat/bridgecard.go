package chat

// BridgeCard is what the console shows of a kind of bridge, and asks for to connect it.
// Its texts are plain.
type BridgeCard struct {
	Name  string `json:"name"`
	Title string `json:"title"` // the name as people write it
	// About is a sentence about where conversations appear.
	About string     `json:"about"`
	Icon  BridgeIcon `json:"icon"`
	// Channel is the setting that holds its channel.
	Channel string `json:"channel"`
	// Make is what to do behind the link that makes the app, "" where none has to be made.
	Make string `json:"make,omitempty"`
	// Tokens are the secrets that a person pastes first: the bot's, and maybe the app's.
	Tokens []BridgeToken `json:"tokens"`
	// Place names the second step, Waiting what it waits for, Use what chooses a place.
	Place   string `json:"place"`
	Waiting string `json:"waiting"`
	Use     string `json:"use"`
	// Add says what the link that adds the bot does, AddButton follows it; "" for none.
	Add       string `json:"add,omitempty"`
	AddButton string `json:"addButton,omitempty"`
	// Member is what people are found by there if it is no user name.
	Member string `json:"member,omitempty"`
	// Options are the settings of how answers arrive.
	Options []BridgeOption `json:"options"`
}

// BridgeIcon is a sign in a square of 32 units of a colour: the path of a white shape with
// dots in it, or of white lines.
type BridgeIcon struct {
	Colour string `json:"colour"`
	Shape  string `json:"shape,omitempty"`
	Dots   string `json:"dots,omitempty"`
	Lines  string `json:"lines,omitempty"`
}

// BridgeToken is the field of a token.
type BridgeToken struct {
	Setting     string `json:"setting"`
	Label       string `json:"label"`
	Placeholder string `json:"placeholder,omitempty"`
	// Hint says where it is found; Link stands in it in place of {link}.
	Hint string      `json:"hint"`
	Link *BridgeLink `json:"link,omitempty"`
	// Whole is the pattern of one that is complete, with which the step is taken at once;
	// "" where there is more to enter. Looks says what one looks like.
	Whole string `json:"whole,omitempty"`
	Looks string `json:"looks"`
	// Wrong begins the problem of a text that is none.
	Wrong string `json:"wrong"`
}

// BridgeLink is a link with its text.
type BridgeLink struct {
	URL  string `json:"url"`
	Text string `json:"text"`
}

// BridgeOption is a field for a setting.
type BridgeOption struct {
	Setting string `json:"setting"`
	// Control is secret, check or text. None is what an empty secret means.
	Control string `json:"control"`
	Label   string `json:"label"`
	Hint    string `json:"hint"`
	None    string `json:"none,omitempty"`
	Longest int    `json:"longest,omitempty"`
}
