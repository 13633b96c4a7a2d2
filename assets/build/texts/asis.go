package texts

// asIs are texts that every language writes alike: names of products, languages, keys and formats, and examples of them.
var asIs = []string{
	"Edge", "Opera", "Firefox", "Chrome", "Safari", "Android", "Windows", "Linux", "macOS", "iOS", "iPhone", "iPad",
	"Google", "Microsoft", "Microsoft 365", "Fastmail", "Gmail, Google Workspace", "Postmark", "Amazon SES", "Brevo",
	"Mistral", "Anthropic", "Groq", "OpenAI", "SQLite", "PostgreSQL", "MacBook", "relay", "API", "CSV", "JSON", "OK",
	"Ctrl", "Shift", "Esc", "Enter", "Escape", "Tab", "Meta", "Control", "Ctrl K",
	"English", "Deutsch", "Français", "Español", "Português", "日本語", "Italiano", "Nederlands", "Polski", "Svenska",
	"Example Shop <chat@shop.example>", "support = operator", "min", "ID", "groups", "!ai on", "!ai off",
	"Authorization", "Bearer …", "order_status", "customer", `{"order":"4711"}`, "RelayChat.open()",
	"main", "danger-text", "undelivered unsent", "g s", "not all", "more", // classes, keys, queries
}
