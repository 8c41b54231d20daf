package report

import "qd1.example/qd1/bench/profile"

// ProfileListSchema is the name and version of the JSON object of a ProfileList.
const ProfileListSchema = "qd1.profiles/1"

// ProfileList is the profiles that there are.
type ProfileList struct {
	Schema   string             `json:"schema"`
	Profiles []*profile.Profile `json:"profiles"`
}
