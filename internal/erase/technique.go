package erase

// Technique is a way to erase a drive.
type Technique string

// The techniques. Best asks for the best that the drive has. Format is the bare
// format without secure erase (SES 0), which is not an erase and has to be
// asked for.
const (
	Best              Technique = ""
	FormatUserData    Technique = "format-user-data"
	FormatCrypto      Technique = "format-crypto"
	Format            Technique = "format"
	SanitizeBlock     Technique = "sanitize-block"
	SanitizeCrypto    Technique = "sanitize-crypto"
	SanitizeOverwrite Technique = "sanitize-overwrite"
	Overwrite         Technique = "overwrite"
	// ExitFailure lets a drive leave the failure mode of a sanitize operation
	// that failed. It erases nothing.
	ExitFailure Technique = "sanitize-exit-failure"
)

// Techniques returns all techniques that can be asked for by name.
func Techniques() []Technique {
	return []Technique{
		FormatUserData, FormatCrypto, Format, SanitizeBlock, SanitizeCrypto, SanitizeOverwrite, Overwrite, ExitFailure,
	}
}

// Erases reports whether the technique is meant to erase user data.
func (t Technique) Erases() bool { return t != Format && t != ExitFailure }

// Formats reports whether it is the Format NVM command.
func (t Technique) Formats() bool {
	return t == FormatUserData || t == FormatCrypto || t == Format
}

// Sanitizes reports whether it is the Sanitize command, which goes on in the
// background and survives a reset and a loss of power.
func (t Technique) Sanitizes() bool {
	return t == SanitizeBlock || t == SanitizeCrypto || t == SanitizeOverwrite
}

// Cryptographic reports whether the data are to be made unreadable by a change
// of the key that the drive encrypts them with.
func (t Technique) Cryptographic() bool { return t == FormatCrypto || t == SanitizeCrypto }

// Claim is the category that a user's policy names for an erase. qd1 records
// what was done and seen, and claims no conformance with a standard.
type Claim string

// The claims. ClaimDefault is clear.
const (
	ClaimDefault Claim = ""
	Clear        Claim = "clear"
	Purge        Claim = "purge"
)
