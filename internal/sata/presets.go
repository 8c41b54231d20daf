package sata

import (
	"regexp"

	"github.com/dswarbrick/smart/drivedb"
)

// presets are attribute names and formats by decimal identifier.
type presets = map[string]drivedb.AttrConv

// namesOf returns the names and formats of the attributes of a model. The
// data are made for this one call, because LookupDrive writes into the general
// entry of the data it is given: names of one drive would appear at the next.
func namesOf(model string, solidState bool) drivedb.DriveModel {
	db := drivedb.DriveDb{Drives: append([]drivedb.DriveModel{general(solidState)}, families()...)}
	for i := range db.Drives {
		// LookupDrive searches anywhere in the model and needs an expression in every
		// entry: anchored here, and an entry that does not compile stops the tests.
		db.Drives[i].CompiledRegexp = regexp.MustCompile("^(?:" + db.Drives[i].ModelRegex + ")$")
	}
	found := db.LookupDrive([]byte(model))
	if found.Family == generalFamily {
		found.Family = ""
	}
	return found
}

// generalFamily is the name by which LookupDrive knows the entry that all
// others stand on.
const generalFamily = "DEFAULT"

// general has the names that makers share. Identifiers that mean one thing on
// disks and another on each solid-state drive are named for disks only.
func general(solidState bool) drivedb.DriveModel {
	names := presets{
		"1":   {Name: "Raw_Read_Error_Rate", Conv: formatRaw48},
		"5":   {Name: "Reallocated_Sector_Ct", Conv: formatRaw16},
		"9":   {Name: "Power_On_Hours", Conv: formatRaw24},
		"12":  {Name: "Power_Cycle_Count", Conv: formatRaw48},
		"171": {Name: "Program_Fail_Count", Conv: formatRaw48},
		"172": {Name: "Erase_Fail_Count", Conv: formatRaw48},
		"173": {Name: "Erase_Count", Conv: formatRaw48},
		"174": {Name: "Unexpect_Power_Loss_Ct", Conv: formatRaw48},
		"181": {Name: "Program_Fail_Cnt_Total", Conv: formatRaw48},
		"182": {Name: "Erase_Fail_Count_Total", Conv: formatRaw48},
		"183": {Name: "Runtime_Bad_Block", Conv: formatRaw48},
		"184": {Name: "End-to-End_Error", Conv: formatRaw48},
		"187": {Name: "Reported_Uncorrect", Conv: formatRaw48},
		"188": {Name: "Command_Timeout", Conv: formatRaw48},
		"190": {Name: "Airflow_Temperature_Cel", Conv: formatTemp},
		"194": {Name: "Temperature_Celsius", Conv: formatTemp},
		"195": {Name: "Hardware_ECC_Recovered", Conv: formatRaw48},
		"196": {Name: "Reallocated_Event_Count", Conv: formatRaw16},
		"197": {Name: "Current_Pending_Sector", Conv: formatRaw48},
		"198": {Name: "Offline_Uncorrectable", Conv: formatRaw48},
		"199": {Name: "UDMA_CRC_Error_Count", Conv: formatRaw48},
		"232": {Name: "Available_Reservd_Space", Conv: formatRaw48},
		"241": {Name: "Total_Written_Unknown_Unit", Conv: formatRaw48},
		"242": {Name: "Total_Read_Unknown_Unit", Conv: formatRaw48},
	}
	if !solidState {
		for id, p := range disks() {
			names[id] = p
		}
	}
	return drivedb.DriveModel{Family: generalFamily, Presets: names}
}

// disks are names that hold for disks with rotating media.
func disks() presets {
	return presets{
		"2":   {Name: "Throughput_Performance", Conv: formatRaw48},
		"3":   {Name: "Spin_Up_Time", Conv: formatAverage},
		"4":   {Name: "Start_Stop_Count", Conv: formatRaw48},
		"7":   {Name: "Seek_Error_Rate", Conv: formatRaw48},
		"8":   {Name: "Seek_Time_Performance", Conv: formatRaw48},
		"10":  {Name: "Spin_Retry_Count", Conv: formatRaw48},
		"11":  {Name: "Calibration_Retry_Count", Conv: formatRaw48},
		"189": {Name: "High_Fly_Writes", Conv: formatRaw48},
		"191": {Name: "G-Sense_Error_Rate", Conv: formatRaw48},
		"192": {Name: "Power-Off_Retract_Count", Conv: formatRaw48},
		"193": {Name: "Load_Cycle_Count", Conv: formatRaw48},
		"200": {Name: "Multi_Zone_Error_Rate", Conv: formatRaw48},
		"240": {Name: "Head_Flying_Hours", Conv: formatRaw24},
	}
}

// Names with a known meaning; see the method quantity.
const (
	nameLBAsWritten   = "Total_LBAs_Written"
	nameLBAsRead      = "Total_LBAs_Read"
	name32MiBWritten  = "Host_Writes_32MiB"
	name32MiBRead     = "Host_Reads_32MiB"
	nameGiBWritten    = "Lifetime_Writes_GiB"
	nameGiBRead       = "Lifetime_Reads_GiB"
	nameFamilyWear    = "Wear_Leveling_Count"
	nameWearout       = "Media_Wearout_Indicator"
	nameLifeRemaining = "Percent_Lifetime_Remain"
	nameLifeLeft      = "SSD_Life_Left"
	nameUnsafe        = "Unsafe_Shutdown_Count"
	nameRecovery      = "POR_Recovery_Count"
)

// families are the lines of drives whose attributes have a meaning beyond the
// general one. The first that matches counts. The warning holds the source.
func families() []drivedb.DriveModel {
	return []drivedb.DriveModel{
		{
			Family:     "Samsung SSD",
			ModelRegex: `(SAMSUNG|Samsung) (SSD )?(8[3-9]0|PM8|SM8|MZ[7-9M]).*`,
			WarningMsg: "Samsung SSD Data Center Series, SMART attribute descriptions",
			Presets: presets{
				"177": {Name: nameFamilyWear, Conv: formatRaw48},
				"179": {Name: "Used_Rsvd_Blk_Cnt_Tot", Conv: formatRaw48},
				"187": {Name: "Uncorrectable_Error_Cnt", Conv: formatRaw48},
				"195": {Name: "ECC_Error_Rate", Conv: formatRaw48},
				"199": {Name: "CRC_Error_Count", Conv: formatRaw48},
				"235": {Name: nameRecovery, Conv: formatRaw48},
				"241": {Name: nameLBAsWritten, Conv: formatRaw48},
			},
		},
		{
			Family:     "Intel SSD",
			ModelRegex: `INTEL SSDS[AC].*`,
			WarningMsg: "Intel SSD DC S3500 Series, Product Specification 328860, table SMART Attributes; the same for other series",
			Presets: presets{
				"170": {Name: "Available_Reservd_Space", Conv: formatRaw48},
				"192": {Name: nameUnsafe, Conv: formatRaw48},
				"225": {Name: name32MiBWritten, Conv: formatRaw48},
				"226": {Name: "Workld_Media_Wear_Indic", Conv: formatRaw48},
				"227": {Name: "Workld_Host_Reads_Perc", Conv: formatRaw48},
				"228": {Name: "Workload_Minutes", Conv: formatRaw48},
				"233": {Name: nameWearout, Conv: formatRaw48},
				"241": {Name: name32MiBWritten, Conv: formatRaw48},
				"242": {Name: name32MiBRead, Conv: formatRaw48},
			},
		},
		{
			Family:     "Micron or Crucial SSD",
			ModelRegex: `(Micron_|MICRON_)?(M500|M510|M550|M600|1100|1300|5[1-4]00)[ _].*|(Crucial_)?CT\d+(M500|M550|BX500|MX[1-5]00)SSD\d.*`,
			WarningMsg: "Micron TN-FD-22, Client SATA SSD SMART Attribute Reference",
			Presets: presets{
				"5":   {Name: "Reallocate_NAND_Blk_Cnt", Conv: formatRaw48},
				"173": {Name: "Ave_Block-Erase_Count", Conv: formatRaw48},
				"180": {Name: "Unused_Reserve_NAND_Blk", Conv: formatRaw48},
				"183": {Name: "SATA_Interfac_Downshift", Conv: formatRaw48},
				"184": {Name: "Error_Correction_Count", Conv: formatRaw48},
				"197": {Name: "Current_Pending_ECC_Cnt", Conv: formatRaw48},
				"202": {Name: nameLifeRemaining, Conv: formatRaw48},
				"206": {Name: "Write_Error_Rate", Conv: formatRaw48},
				"210": {Name: "Success_RAIN_Recov_Cnt", Conv: formatRaw48},
				"246": {Name: nameLBAsWritten, Conv: formatRaw48},
				"247": {Name: "Host_Program_Page_Count", Conv: formatRaw48},
				"248": {Name: "FTL_Program_Page_Count", Conv: formatRaw48},
			},
		},
		{
			Family:     "Kingston SSD",
			ModelRegex: `KINGSTON (SA400S|SUV[45]00|SKC600|SKC400|SEDC[45]\d\dM?).*`,
			WarningMsg: "Kingston SMART Attribute Details",
			Presets: presets{
				"231": {Name: nameLifeLeft, Conv: formatRaw48},
				"233": {Name: "Flash_Writes_GiB", Conv: formatRaw48},
				"241": {Name: nameGiBWritten, Conv: formatRaw48},
				"242": {Name: nameGiBRead, Conv: formatRaw48},
			},
		},
		{
			Family:     "WD or SanDisk SSD",
			ModelRegex: `WDC +WDS\d+[TG]\d[BGR]0[AB].*|SanDisk (SDSSD|SSD PLUS|Ultra II).*`,
			WarningMsg: "public smartctl reports of WD Blue, Green and Red and of SanDisk drives",
			Presets: presets{
				"230": {Name: "Media_Wear_Words", Conv: formatHex48},
				"233": {Name: "NAND_GB_Written", Conv: formatRaw48},
				"241": {Name: nameGiBWritten, Conv: formatRaw48},
				"242": {Name: nameGiBRead, Conv: formatRaw48},
			},
		},
		{
			Family:     "Seagate disk",
			ModelRegex: `ST\d{3,5}[DELNV][A-Z]\d{3,4}.*`,
			WarningMsg: "public smartctl reports of Seagate disks",
			Presets: presets{
				"1":   {Name: "Raw_Read_Error_Rate", Conv: formatPair32},
				"7":   {Name: "Seek_Error_Rate", Conv: formatPair32},
				"188": {Name: "Command_Timeout", Conv: formatWords},
				"195": {Name: "Hardware_ECC_Recovered", Conv: formatPair32},
				"240": {Name: "Head_Flying_Hours", Conv: formatMSecHours},
				"241": {Name: nameLBAsWritten, Conv: formatRaw48},
				"242": {Name: nameLBAsRead, Conv: formatRaw48},
			},
		},
	}
}
