package chat

// Audience is one of those who receive events: a column of the table of events.
type Audience int

// The audiences: streams, sinks, the timeline and the index of the search.
const (
	_               Audience = iota
	StreamVisitor            // the session's visitor
	StreamOperators          // the console, and programs with the secret key
	StreamConsole            // the console alone
	StreamBackend            // a backend in bridge mode: what operators do on platforms, and the AI's answers
	TargetBridge             // a platform: what operators see
	TargetWebhook            // the outgoing webhook: the events under webhooks in schema/openapi.yaml
	TargetHook               // webhooks beside the first: of these what each has chosen of [HookEvents]
	TargetAI                 // the AI
	TargetPush               // operators' browsers
	TargetMail               // whom relay writes e-mails to
	TargetMembers            // the sink that asks for e-mails to the team
	TargetLeave              // the leave sink
	TargetSteps              // the sink of the steps for who is not answered
	Timeline                 // what operators see between the messages
	TimelineVisitor          // what of it visitors see
	SearchIndex              // what makes a session's texts new
	audiences
)

// events is the table of events: which audience receives which events of a type. Nobody
// receives what no row names.
var events = map[EventType][audiences]func(*Event) bool{
	EventNewSession:      {StreamOperators: yes, TargetBridge: yes, TargetWebhook: yes, TargetHook: yes},
	EventMessage:         {StreamVisitor: yes, StreamOperators: yes, StreamBackend: forBackend, TargetBridge: yes, TargetWebhook: yes, TargetHook: yes, TargetAI: visitorWrote, TargetPush: visitorWrote, TargetMembers: visitorWrote, TargetMail: forVisitor, SearchIndex: yes},
	EventMessageEdited:   {StreamVisitor: yes, StreamOperators: yes, StreamBackend: fromTeam, TargetBridge: yes, TargetWebhook: yes, TargetHook: yes},
	EventMessageDeleted:  {StreamVisitor: yes, StreamOperators: yes, StreamBackend: fromTeam, TargetBridge: yes, TargetWebhook: yes, TargetHook: yes},
	EventMessageRead:     {StreamVisitor: yes, StreamOperators: yes, StreamBackend: fromTeam, TargetBridge: fromWidget, TargetWebhook: notFromRelay, TargetHook: notFromRelay},
	EventNote:            {StreamOperators: yes, TargetBridge: yes, SearchIndex: yes},
	EventNoteEdited:      {StreamOperators: yes, TargetBridge: yes},
	EventNoteDeleted:     {StreamOperators: yes, TargetBridge: yes},
	EventIdentityUpdate:  {StreamOperators: yes, TargetBridge: yes, TargetWebhook: yes, TargetHook: yes},
	EventSessionClosed:   {StreamVisitor: yes, StreamOperators: yes, StreamBackend: fromTeam, TargetBridge: yes, TargetWebhook: yes, TargetHook: yes, Timeline: yes, TimelineVisitor: yes},
	EventSessionReopened: {StreamVisitor: yes, StreamOperators: yes, StreamBackend: fromTeam, TargetBridge: yes, TargetHook: yes, Timeline: yes, TimelineVisitor: yes},
	EventCustom:          {StreamVisitor: notFromWidget, StreamOperators: yes, TargetBridge: fromWidget, TargetWebhook: fromWidget, TargetHook: fromWidget, Timeline: yes},
	EventCSATRequest:     {StreamVisitor: yes, StreamOperators: yes, StreamBackend: fromTeam, Timeline: yes},
	EventCSATSubmitted:   {StreamOperators: yes, TargetBridge: yes, TargetWebhook: yes, TargetHook: yes, Timeline: yes, TimelineVisitor: yes},
	EventDisconnect:      {StreamOperators: yes, TargetBridge: yes, TargetWebhook: yes, TargetHook: yes, Timeline: yes},
	EventAITakeover:      {StreamVisitor: yes, StreamOperators: yes, StreamBackend: fromTeam, TargetBridge: yes, TargetWebhook: yes, TargetHook: yes, Timeline: yes},
	EventAssigned:        {StreamOperators: yes, Timeline: yes},
	EventTagged:          {StreamOperators: yes, TargetHook: yes},
	EventSnoozed:         {StreamOperators: yes, Timeline: yes},
	EventMerged:          {StreamOperators: yes, TargetBridge: yes, Timeline: yes},
	EventStatusSet:       {StreamVisitor: yes, StreamOperators: yes, TargetBridge: yes, TargetWebhook: yes}, // and StateOperatorStatus
	EventNotice:          {TargetBridge: yes},
	EventLeaving:         {TargetLeave: yes},
	EventAIRequest:       {TargetAI: yes},
	EventUnanswered:      {StreamOperators: yes, TargetBridge: yes, TargetPush: yes, Timeline: yes},
	EventStepDue:         {TargetSteps: yes},
	EventTeamMail:        {TargetMail: yes},
	EventDailyMail:       {TargetMail: yes},
	EventInvitationMail:  {TargetMail: yes},
	EventMailReply:       {TargetMail: yes},
	EventTranscriptMail:  {TargetMail: yes},
	EventMailed:          {StreamOperators: yes, TargetBridge: mailFailed, Timeline: yes},
	EntryPage:            {Timeline: yes},

	StateConnected:       {StreamVisitor: yes, StreamOperators: yes},
	StateTyping:          {StreamVisitor: notFromWidget, StreamOperators: yes, StreamBackend: fromTeam},
	StatePresence:        {StreamOperators: yes},
	StateConfig:          {StreamVisitor: yes, StreamOperators: yes},
	StateResync:          {StreamVisitor: yes, StreamOperators: yes},
	StateSessionErased:   {StreamOperators: yes},
	StateSessionBlocked:  {StreamOperators: yes},
	StateSessionUnread:   {StreamOperators: yes},
	StateOperatorViewing: {StreamOperators: yes},
	StateDeliveryFailed:  {StreamOperators: yes},
	StateDeliveryDone:    {StreamOperators: yes},
	StateVisitorPage:     {StreamOperators: yes},
	StateVisitorPresence: {StreamOperators: yes},
	StateVisitorDraft:    {StreamConsole: yes},
}

// For reports whether an audience receives the event.
func (e *Event) For(to Audience) bool {
	receives := events[e.Type][to]
	return receives != nil && receives(e)
}

func yes(*Event) bool             { return true }
func visitorWrote(e *Event) bool  { return e.Sender == SenderVisitor }
func forVisitor(e *Event) bool    { return e.Sender == SenderOperator || e.Sender == SenderAI }
func fromWidget(e *Event) bool    { return e.Source == SourceWidget }
func notFromWidget(e *Event) bool { return e.Source != SourceWidget }
func notFromRelay(e *Event) bool  { return e.Source != SourceRelay }
func forBackend(e *Event) bool    { return fromTeam(e) && !visitorWrote(e) }

// fromTeam is about what neither the visitor nor the backend itself did.
func fromTeam(e *Event) bool {
	return e.Source != "" && e.Source != SourceWidget && e.Source != SourceAPI
}
