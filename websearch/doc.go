// Package websearch will be the one way in which tools of the agent leave the
// machine: fetching a page and asking a search back end.
//
// Nothing of it is built yet. No tool fetches or searches; `tera-pilot doctor`
// says so. What it will stand on, internal/netguard, is there.
//
// # Will be promised
//
// An address is parsed strictly and once, resolved once, checked, and dialled
// as it was checked; private and local ones are refused; a redirect to another
// host is a new question; nothing that looks like a secret leaves in a URL.
package websearch
