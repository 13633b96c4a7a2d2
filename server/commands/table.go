package commands

var onDatabase = []string{"DATABASE_URL"}

// List is the table of the commands.
var List = []Command{
	{"keys", "the same as keys show", showKeys, onDatabase, "keys"},
	{"keys show", "print the public key, and the secret one while it can be shown", showKeys, onDatabase, "keys show"},
	{"keys rotate public", "make a new public key; update the snippet on every page", rotate(rotatePublic), onDatabase, "keys rotate public"},
	{"keys rotate secret", "make a new secret key; people who signed in with the old one have to sign in again; with --end-keys the API keys and incoming hooks that it made end, too", rotate(rotateSecret), onDatabase, "keys rotate secret --end-keys"},
	{"keys list", "list the API keys and personal tokens of programs", listAPIKeys, onDatabase, "keys list --json"},
	{"keys add NAME", "make an API key for a program; --scope SCOPE (once or more: read, write, note, settings, people, erase), --site SITE (once or more) and --expires DATE say what it may do", addAPIKey, onDatabase,
		`keys add "CRM sync" --scope read --scope note --expires 2027-01-31`},
	{"keys ended", "list the API keys and tokens that ended or expired within 90 days: when, who ended them and why", listEndedAPIKeys, onDatabase, "keys ended"},
	{"keys end KEY", "end an API key or a personal token for good, by its id or name", endAPIKey, onDatabase, `keys end "CRM sync"`},
	{"sites list", "list the websites that this relay serves", listSites, onDatabase, "sites list --json"},
	{"sites show SITE", "print a website's snippet and what is known of it, by its id", showSite, onDatabase, "sites show shop-berlin"},
	{"sites add NAME", "add a website: its chat works at once; --id ID, --color COLOUR, --origin ORIGIN (once or more) and --key PUBLIC_KEY say more of it", addSite, onDatabase,
		`sites add "Shop Berlin" --color "#0b7285"`},
	{"sites add NAME ADDRESS", "the same with the address of the website", addSite, onDatabase, `sites add "Shop Berlin" https://berlin.example.com`},
	{"sites set SITE NAME=VALUE...", "change its name, address, color or origins (separated by commas)", setSite, onDatabase, `sites set shop-berlin name="Shop Berlin" color="#0b7285"`},
	{"sites settings SITE", "print a website's settings and where each comes from; all is what the websites share", settingsOfSite, onDatabase, "sites settings shop-berlin"},
	{"sites settings SITE NAME=VALUE...", "set settings of a website, or of all; NAME= takes a value back", changeSettingsOfSite, onDatabase, `sites settings shop-berlin welcomeMessage="Guten Tag!"`},
	{"sites key SITE", "make a new public key; update the snippet on every page of this website", rotateSiteKey, onDatabase, "sites key shop-berlin"},
	{"sites archive SITE", "close the chat of a website; its conversations can still be read", archiveSite, onDatabase, "sites archive shop-berlin"},
	{"sites reopen SITE", "open the chat of an archived website again", reopenSite, onDatabase, "sites reopen shop-berlin"},
	{"sites erase SITE", "delete a website with all its conversations permanently; asks for its name, or give --name NAME or --yes", eraseSite, onDatabase, `sites erase shop-berlin --name "Shop Berlin"`},
	{"sites export SITE FILE", "write all that is a website's to a zip: settings, saved answers, knowledge, conversations, files; no secrets", exportSite, onDatabase, "sites export shop-berlin berlin.zip"},
	{"sites import FILE", "add the website that sites export wrote, here or on another relay; --id ID and --name NAME give it others; cut off, the same command continues", importSite, onDatabase, "sites import berlin.zip"},
	{"people list", "list the people of the team", listPeople, onDatabase, "people list --json"},
	{"people add EMAIL", "make an invitation for an administrator: a link that works once; with --site SITE (once or more) only of these websites", addPerson, onDatabase, "people add ada@example.com"},
	{"people reset PERSON", "make a link to a new password, by e-mail address or name", resetPerson, onDatabase, "people reset ada@example.com"},
	{"people two-step-off PERSON", "stop asking a person for codes of an authenticator app, when the phone is lost", endTwoStep, onDatabase, "people two-step-off ada@example.com"},
	{"knowledge add URL|FILE", "add a site or a file (.md .txt .html .pdf) for the AI to answer from; with --site SITE only visitors of that website", addKnowledge, onDatabase, "knowledge add https://shop.example.com/help/"},
	{"knowledge list", "list the AI's sources with their progress and errors", listKnowledge, onDatabase, "knowledge list"},
	{"knowledge refresh SOURCE", "fetch the pages of a source again; this also happens daily", refreshKnowledge, onDatabase, "knowledge refresh https://shop.example.com/help/"},
	{"knowledge remove SOURCE", "remove a source, by its id, address or title", removeKnowledge, onDatabase, "knowledge remove handbook.pdf"},
	{"knowledge ask QUESTION", "show the passages for a question, and the AI's answer; --site SITE asks as a visitor of that website", askKnowledge, onDatabase, `knowledge ask "Do you ship to France?"`},
	{"export FILE", "write all conversations with their files to a zip; - is the standard output", export, onDatabase, "export everything.zip"},
	{"export FILE VISITOR", "the same for one visitor, by visitor id, e-mail address or the id of a conversation", export, onDatabase, "export ann.zip ann@example.com"},
	{"erase VISITOR", "delete a visitor's conversations permanently; needs --yes", erase, onDatabase, "erase ann@example.com --yes"},
}

// Options are the flags of single commands, by the words that the command begins with.
var Options = map[string][]string{
	"knowledge add": {"--site"},
	"knowledge ask": {"--site"},
	"keys add":      {"--scope", "--site", "--expires"},
	"people add":    {"--site"},
	"sites add":     {"--id", "--color", "--origin", "--key"},
	"sites erase":   {"--name"},
	"sites import":  {"--id", "--name"},
}
