package doctor

// web says how the agent can read the web. Nothing is asked.
func (p Place) web() Check {
	switch {
	case p.WebErr != nil:
		return Check{"web", Fail, p.WebErr.Error(), "mend `web` in config.json (docs/web.md)"}
	case p.Web == "":
		return Check{"web", OK, "web_fetch is switched off, and no search service is configured", ""}
	}
	return Check{"web", OK, p.Web, ""}
}
