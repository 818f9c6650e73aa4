package demo

// Secret is a credential planted in the vault. Each is invented, says so where its shape
// leaves room for it, and opens nothing.
type Secret struct {
	Kind  string // what it looks like
	Path  string // the only note that it stands in
	Place string // where in the note: body, table, code, front matter, url
	Value string // the bytes that no answer, index, log or cache may hold
}

// Secrets gives every planted credential. A key block is given line by line, since each
// line of it must be masked.
func Secrets() []Secret {
	const staging, accounts = "internal/wiki/staging-access.md", "internal/wiki/test-accounts.md"
	const evening = "internal/community/ctf-evening-2026.md"
	return []Secret{
		{"aws-key", "internal/meetings/2026-10-14-platform.md", "body", "AKIATIDEGAUGEFAKE234"},
		{"private-key", staging, "code", "RkFLRS1ERU1PLUtFWS1PRi1FQkJNQVJLLU5PVC1BLVJFQUwtS0VZLUxJTkUtMDAxLS0t"},
		{"private-key", staging, "code", "RkFLRS1ERU1PLUtFWS1PRi1FQkJNQVJLLU5PVC1BLVJFQUwtS0VZLUxJTkUtMDAyLS0t"},
		{"private-key", staging, "code", "RkFLRS1ERU1PLUtFWS1PRi1FQkJNQVJLLU5PVC1BLVJFQUwtS0VZLUxJTkUtMDAzLS0t"},
		{"url-password", staging, "url", "fake-kelp-forest-42"},
		{"generic-secret", staging, "code", "fk9Qz27LmTtR4vXw81ByHd5sNc60JpGe"},
		{"pin", staging, "body", "480173"},
		{"password", "internal/de/werkstatt-sicherheit.md", "body", "musterSeehund!3306"},
		{"password", "internal/wiki/demo-harbour.md", "body", "fakeGannet!7781quay"},
		{"api-key", accounts, "front matter", "fkA7t2Kelp9Qw4Zr8Limpet31XnB6Yvd"},
		{"github-token", accounts, "table", "ghp_FakeHerring0DemoToken1NotReal2Abcd3E"},
		{"bearer-token", accounts, "code", "fk7hQ2mZx94LtRsW8vNbK3pYdC6gJ1eU"},
		{"url-token", "public/docs/quickstart.md", "url", "swk_fake8Zt3Qm51KvWx7RbN2Lc9HdYp4s6G"},
		{"flag", evening, "body", "TIDEMARK{f0ghorn_backwards_fake}"},
		{"flag", evening, "body", "flag{demo_bilge_is_never_dry}"},
		{"password", "restricted/security/door-access.md", "body", "fakeBladder!5512wrack"},
		{
			"jwt", "restricted/incidents/INC-2231-phishing.md", "code",
			"eyJhbGciOiJGQUtFIiwidHlwIjoiREVNTyJ9.eyJzdWIiOiJmYWtlLXVzZXIiLCJub3RlIjoiZGVtbyBvbmx5In0.ZmFrZS1zaWduYXR1cmUtZm9yLWRlbW8",
		},
	}
}
