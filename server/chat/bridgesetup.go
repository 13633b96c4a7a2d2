package chat

// Steps of connecting a platform, in their order.
const (
	StepToken = "token" // the bot's token is wanted
	StepPlace = "place" // the bot is known; a place for its threads is wanted
	StepDone  = "done"
)

// BridgeStep is what somebody enters to connect a platform, or to give a site a channel of
// its own; empty fields leave what is set. A site has no tokens.
type BridgeStep struct {
	Token    string `json:"token"`
	AppToken string `json:"appToken"` // the second one, where there is one
	Place    string `json:"place"`    // the id of a Place
}

// BridgeSetup is how far a platform is connected.
type BridgeSetup struct {
	Step string `json:"step"`
	// Bot is the bot's name once the token is known to work.
	Bot string `json:"bot,omitempty"`
	// Link is where the next step is done on the platform: it makes the app, or adds
	// the bot.
	Link string `json:"link,omitempty"`
	// Place is where conversations begin, once that is chosen and the platform says what it is.
	Place    *Place    `json:"place,omitempty"`
	Places   []Place   `json:"places"`
	Findings []Finding `json:"findings"`
	// Stored: this step stored a token or the place.
	Stored bool `json:"-"`
}

// Place is a group or channel that the bot can see.
type Place struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Within is the server that a channel belongs to.
	Within string `json:"within,omitempty"`
	// Link opens it on the platform; only of the one that was chosen.
	Link string `json:"link,omitempty"`
	// Sites are those whose conversations begin there; only where it is asked for a site.
	Sites []string `json:"sites,omitempty"`
	// Problem keeps it from being used until it is fixed.
	Problem string `json:"problem,omitempty"`
	Fix     string `json:"fix,omitempty"`
	Details string `json:"details,omitempty"`
}

// WithProblem returns the place with the reason why it cannot be used, nil for none.
func (p Place) WithProblem(platform string, err error) Place {
	if err != nil {
		e := Explain(platform, err)
		p.Problem, p.Fix, p.Details = e.Problem, e.Fix, e.Details
	}
	return p
}
