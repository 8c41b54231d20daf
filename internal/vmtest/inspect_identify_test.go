package vmtest_test

// identifyInspection are the Identify data structures. The emulated drives are of
// NVMe 1.4 and have data structures of 2.0 that they do not list.
func identifyInspection() inspection {
	const allOfThem = "--force "
	i := inspection{name: "Identify", counting: modern, pages: []samePage{
		{qd1: "id ctrl -b " + many, nvme: "id-ctrl -b " + many},
		{qd1: "id ctrl -b " + small, nvme: "id-ctrl -b " + small},
		{qd1: "id ctrl -b " + modern, nvme: "id-ctrl -b " + modern},
		{qd1: "id ns -b -n " + plainNamespace + " " + many, nvme: "id-ns -b -n " + plainNamespace + " " + many},
		{qd1: "id ns -b -n " + metadataNamespace + " " + many, nvme: "id-ns -b -n " + metadataNamespace + " " + many},
		{qd1: "id ns -b -n " + zonedNamespace + " " + many, nvme: "id-ns -b -n " + zonedNamespace + " " + many},
		{qd1: "id ns -b " + small + "n1", nvme: "id-ns -b " + small + "n1"},
		{qd1: "id ns -b " + modern, nvme: "id-ns -b -n 1 " + modern},
		{qd1: "id allocated-ns -b -n 1 " + modern, nvme: "id-ns -b --force -n 1 " + modern},
		{qd1: "id ns-list -b " + many, nvme: identifyPassthru(many, "0", 0x02, 0)},
		{qd1: "id ns-list -b -n 2 " + many, nvme: identifyPassthru(many, "1", 0x02, 0)},
		{qd1: "id ns-list -b --all " + modern, nvme: identifyPassthru(modern, "0", 0x10, 0)},
		{qd1: "id ns-list -b --csi 2 " + allOfThem + many, nvme: identifyPassthru(many, "0", 0x07, 2<<24)},
		{qd1: "id ns-descs -b -n 1 " + many, nvme: "ns-descs -b -n 1 " + many},
		{qd1: "id ns-descs -b -n 3 " + many, nvme: "ns-descs -b -n 3 " + many},
		{qd1: "id ns-descs -b " + modern, nvme: "ns-descs -b -n 1 " + modern},
		{qd1: "id nvm-ns -b -n 2 " + allOfThem + many, nvme: "nvm-id-ns -o binary -n 2 " + many},
		{qd1: "id nvm-ns -b " + modern, nvme: "nvm-id-ns -o binary -n 1 " + modern},
		{qd1: "id nvm-ctrl -b " + allOfThem + many, nvme: "nvm-id-ctrl -o binary " + many},
		{qd1: "id nvm-ctrl -b " + modern, nvme: "nvm-id-ctrl -o binary " + modern},
		{qd1: "id zns-ns -b -n 3 " + allOfThem + many, nvme: "zns id-ns -o binary -n 3 " + many},
		{qd1: "id zns-ctrl -b " + allOfThem + many, nvme: "zns id-ctrl -o binary " + many},
		{qd1: "id ns-ind -b " + modern, nvme: "cmdset-ind-id-ns -b -n 1 " + modern},
		{qd1: "id ctrl-list -b " + allOfThem + many, nvme: "list-ctrl -o binary " + many},
		{qd1: "id ctrl-list -b -n 1 " + modern, nvme: "list-ctrl -o binary -n 1 " + modern},
		{qd1: "id primary-ctrl-caps -b " + allOfThem + many, nvme: "primary-ctrl-caps -o binary " + many},
		{qd1: "id secondary-ctrl-list -b " + allOfThem + many, nvme: "list-secondary -o binary " + many},
		{qd1: "id iocs -b " + allOfThem + many, nvme: identifyPassthru(many, "0", 0xFFFF001C, 0)},
	}}
	// What the drive does not list; a test without a machine has all of them.
	for _, name := range []string{"nvmset", "zns-ns", "ns-list-csi", "uuid"} {
		i.reads = append(i.reads, "id "+name+" "+modern)
	}
	return i
}
