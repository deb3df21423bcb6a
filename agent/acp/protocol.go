package acp

import "encoding/json"

// The types below are those members of ACP version 1 that the agent sends.
// Sections are those of the schema that the client's SDK ships.

type initializeResult struct {
	ProtocolVersion   int            `json:"protocolVersion"`
	AgentCapabilities capabilities   `json:"agentCapabilities"`
	AgentInfo         implementation `json:"agentInfo"`
	AuthMethods       []struct{}     `json:"authMethods"`
}

type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

type capabilities struct {
	LoadSession         bool                `json:"loadSession"`
	PromptCapabilities  promptCapabilities  `json:"promptCapabilities"`
	SessionCapabilities sessionCapabilities `json:"sessionCapabilities"`
	Auth                struct {
		Logout struct{} `json:"logout"`
	} `json:"auth"`
}

type promptCapabilities struct {
	Image           bool `json:"image,omitempty"`
	EmbeddedContext bool `json:"embeddedContext"`
}

type sessionCapabilities struct {
	List   struct{} `json:"list"`
	Resume struct{} `json:"resume"`
	Close  struct{} `json:"close"`
	Delete struct{} `json:"delete"`
}

type sessionResult struct {
	SessionID     string         `json:"sessionId,omitempty"` // of session/new alone
	Modes         modeState      `json:"modes"`
	ConfigOptions []configOption `json:"configOptions"`
}

type modeState struct {
	CurrentModeID  string     `json:"currentModeId"`
	AvailableModes []modeInfo `json:"availableModes"`
}

type modeInfo struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type configOption struct {
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	Category     string        `json:"category"`
	Type         string        `json:"type"`
	CurrentValue string        `json:"currentValue"`
	Options      []configValue `json:"options"`
}

type configValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type sessionInfo struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

type notification struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type chunk struct {
	Update    string    `json:"sessionUpdate"`
	Content   textBlock `json:"content"`
	MessageID string    `json:"messageId,omitempty"`
}

// toolCall is a ToolCall with its sessionUpdate, a ToolCallUpdate with it, and
// the toolCall of a permission request without.
type toolCall struct {
	Update     string          `json:"sessionUpdate,omitempty"`
	ToolCallID string          `json:"toolCallId"`
	Title      string          `json:"title,omitempty"`
	Kind       string          `json:"kind,omitempty"`
	Status     string          `json:"status,omitempty"`
	Content    []callContent   `json:"content,omitempty"`
	Locations  []location      `json:"locations,omitempty"`
	RawInput   json.RawMessage `json:"rawInput,omitempty"`
	RawOutput  any             `json:"rawOutput,omitempty"`
}

// callContent is a text or a diff.
type callContent struct {
	Type    string     `json:"type"`
	Content *textBlock `json:"content,omitempty"`
	Path    string     `json:"path,omitempty"`
	OldText *string    `json:"oldText,omitempty"` // absent: a new file
	NewText *string    `json:"newText,omitempty"`
}

type location struct {
	Path string `json:"path"`
}

type plan struct {
	Update  string      `json:"sessionUpdate"`
	Entries []planEntry `json:"entries"`
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

type permissionRequest struct {
	SessionID string             `json:"sessionId"`
	ToolCall  toolCall           `json:"toolCall"`
	Options   []permissionOption `json:"options"`
}

type permissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

type commandsUpdate struct {
	Update   string        `json:"sessionUpdate"`
	Commands []commandInfo `json:"availableCommands"`
}

type commandInfo struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *commandInput `json:"input,omitempty"`
}

type commandInput struct {
	Hint string `json:"hint"`
}

// elicitation is a form for the person.
type elicitation struct {
	Mode       string     `json:"mode"`
	SessionID  string     `json:"sessionId"`
	ToolCallID string     `json:"toolCallId,omitempty"`
	Message    string     `json:"message"`
	Schema     formSchema `json:"requestedSchema"`
}

type formSchema struct {
	Type       string               `json:"type"`
	Properties map[string]formField `json:"properties"`
	Required   []string             `json:"required,omitempty"`
}

type formField struct {
	Type      string     `json:"type"`
	Title     string     `json:"title,omitempty"`
	About     string     `json:"description,omitempty"`
	Enum      []string   `json:"enum,omitempty"`
	Default   *string    `json:"default,omitempty"`
	Format    string     `json:"format,omitempty"`
	Minimum   *float64   `json:"minimum,omitempty"`
	Maximum   *float64   `json:"maximum,omitempty"`
	MinLength *float64   `json:"minLength,omitempty"`
	MaxLength *float64   `json:"maxLength,omitempty"`
	MinItems  *float64   `json:"minItems,omitempty"`
	MaxItems  *float64   `json:"maxItems,omitempty"`
	Items     *formField `json:"items,omitempty"`
}

type usageUpdate struct {
	Update string `json:"sessionUpdate"`
	Used   int64  `json:"used"`
	Size   int64  `json:"size"`
	Cost   *cost  `json:"cost,omitempty"`
}

type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}
