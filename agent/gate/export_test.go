package gate

// TableForTest is the autonomy table by the names of its rows.
func TableForTest() map[string][3]string {
	out := map[string][3]string{}
	for r := rowUnknown + 1; r < rowCount; r++ {
		var words [3]string
		for l := AlwaysAsk; l <= NeverAsk; l++ {
			cell := r.at(l)
			words[l] = cell.answer.String()
			if cell.lift {
				words[l] += " †"
			}
		}
		out[r.String()] = words
	}
	return out
}
