package agent

import (
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/tinymodel"
)

// serveTiny starts the tiny model's server and finds it as any other.
func serveTiny(t *testing.T) model.Found {
	t.Helper()
	address := tinymodel.Serve(t, "..")
	found, err := model.Discover(t.Context(), model.Discovery{Addresses: []string{address}, Only: true, Timeout: time.Minute})
	if err != nil || len(found) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	f := found[0]
	if f.Kind != "local" || f.BaseURL != address+"/v1" || len(f.Models) != 1 || f.Models[0].Name != "tiny-toolcaller" || f.Models[0].Window != 320 {
		t.Fatalf("found %+v", f)
	}
	return f
}
