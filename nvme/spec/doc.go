// Package spec holds the data structures of the NVM Express specifications as
// tables: Identify data structures, log pages and features, through NVM Express
// Base Specification, Revision 2.1.
//
// A [Structure] says where each field lies, what it is called, in which unit it
// counts and what its values and bits mean. [Structure.Decode] applies it to
// bytes. The one table gives the decoded value, its JSON ([Value.MarshalJSON]),
// its text ([Value.Lines]) and the table in the documentation.
//
// Nothing that a drive says is lost. What a table does not name is kept as
// reserved bytes and shown where it is not zero, bits of a field that have no
// name are kept as unknown bits, and entries beyond those that a page counts stay
// as reserved bytes. A test puts every page together again from its decoded
// value.
//
// # Writing a table
//
//	Structure{
//		Name: "NVM Set Attributes", Bytes: 128, Source: "…",
//		Fields: []Field{
//			{Name: "NVMSETID", Title: "NVM Set Identifier", At: 0, Len: 2},
//			{Name: "RR4KT", Title: "Random 4 KiB Read Typical", At: 8, Len: 4, Scale: 100, Unit: "ns", Zero: "not reported"},
//			{Name: "SCS", Title: "Secondary Controller State", At: 4, Len: 1, Kind: Flags,
//				Bits: []Bits{{Low: 0, Name: "SCSTAT", Title: "online"}}},
//		},
//	}
//
// Fields need no order, and reserved bytes no entry. A bit without Values is a
// flag: yes or no. Bits take High only where there is more than one. [Check] tells
// what is wrong with a table; a test calls it for all of them.
//
// Names are those of the specification, in its letters; JSON has them in small
// letters with the unit behind ("rr4kt_ns"). Titles are its words.
package spec
