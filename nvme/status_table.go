package nvme

// The generic command status values (SCT 0h).
//
// Source: NVM Express Base Specification, Revision 2.0, Status Code - Generic
// Command Status Values.
const (
	StatusSuccess                       Status = 0x000
	StatusInvalidOpcode                 Status = 0x001
	StatusInvalidField                  Status = 0x002
	StatusCommandIDConflict             Status = 0x003
	StatusDataTransferError             Status = 0x004
	StatusPowerLossNotification         Status = 0x005
	StatusInternalError                 Status = 0x006
	StatusAbortRequested                Status = 0x007
	StatusSQDeletion                    Status = 0x008
	StatusFailedFusedCommand            Status = 0x009
	StatusMissingFusedCommand           Status = 0x00A
	StatusInvalidNamespace              Status = 0x00B
	StatusCommandSequenceError          Status = 0x00C
	StatusInvalidSGLSegment             Status = 0x00D
	StatusInvalidSGLCount               Status = 0x00E
	StatusDataSGLLengthInvalid          Status = 0x00F
	StatusMetadataSGLLengthInvalid      Status = 0x010
	StatusSGLDescriptorTypeInvalid      Status = 0x011
	StatusInvalidControllerMemoryBuffer Status = 0x012
	StatusPRPOffsetInvalid              Status = 0x013
	StatusAtomicWriteUnitExceeded       Status = 0x014
	StatusOperationDenied               Status = 0x015
	StatusSGLOffsetInvalid              Status = 0x016
	StatusHostIdentifierInconsistent    Status = 0x018
	StatusKeepAliveTimerExpired         Status = 0x019
	StatusKeepAliveTimeoutInvalid       Status = 0x01A
	StatusPreemptAndAbort               Status = 0x01B
	StatusSanitizeFailed                Status = 0x01C
	StatusSanitizeInProgress            Status = 0x01D
	StatusSGLGranularityInvalid         Status = 0x01E
	StatusNotSupportedInCMB             Status = 0x01F
	StatusNamespaceWriteProtected       Status = 0x020
	StatusCommandInterrupted            Status = 0x021
	StatusTransientTransportError       Status = 0x022
	StatusProhibitedByLockdown          Status = 0x023
	StatusAdminMediaNotReady            Status = 0x024
	StatusLBAOutOfRange                 Status = 0x080
	StatusCapacityExceeded              Status = 0x081
	StatusNamespaceNotReady             Status = 0x082
	StatusReservationConflict           Status = 0x083
	StatusFormatInProgress              Status = 0x084
	StatusInvalidValueSize              Status = 0x085
	StatusInvalidKeySize                Status = 0x086
	StatusKeyDoesNotExist               Status = 0x087
	StatusUnrecoveredError              Status = 0x088
	StatusKeyExists                     Status = 0x089
)

// The command specific status values (SCT 1h). Those of Fabrics commands use
// the numbers of NVM commands again and are not here.
//
// Source: NVM Express Base Specification, Revision 2.0, Status Code - Command
// Specific Status Values; NVM Command Set Specification, Revision 1.0, and Zoned
// Namespace Command Set Specification, Revision 1.1, for 80h and above.
const (
	StatusCompletionQueueInvalid            Status = 0x100
	StatusInvalidQueueIdentifier            Status = 0x101
	StatusInvalidQueueSize                  Status = 0x102
	StatusAbortLimitExceeded                Status = 0x103
	StatusAsynchronousEventLimitExceeded    Status = 0x105
	StatusInvalidFirmwareSlot               Status = 0x106
	StatusInvalidFirmwareImage              Status = 0x107
	StatusInvalidInterruptVector            Status = 0x108
	StatusInvalidLogPage                    Status = 0x109
	StatusInvalidFormat                     Status = 0x10A
	StatusFirmwareNeedsConventionalReset    Status = 0x10B
	StatusInvalidQueueDeletion              Status = 0x10C
	StatusFeatureNotSaveable                Status = 0x10D
	StatusFeatureNotChangeable              Status = 0x10E
	StatusFeatureNotNamespaceSpecific       Status = 0x10F
	StatusFirmwareNeedsSubsystemReset       Status = 0x110
	StatusFirmwareNeedsControllerReset      Status = 0x111
	StatusFirmwareNeedsMaximumTimeViolation Status = 0x112
	StatusFirmwareActivationProhibited      Status = 0x113
	StatusOverlappingRange                  Status = 0x114
	StatusNamespaceInsufficientCapacity     Status = 0x115
	StatusNamespaceIdentifierUnavailable    Status = 0x116
	StatusNamespaceAlreadyAttached          Status = 0x118
	StatusNamespaceIsPrivate                Status = 0x119
	StatusNamespaceNotAttached              Status = 0x11A
	StatusThinProvisioningNotSupported      Status = 0x11B
	StatusControllerListInvalid             Status = 0x11C
	StatusSelfTestInProgress                Status = 0x11D
	StatusBootPartitionWriteProhibited      Status = 0x11E
	StatusInvalidControllerIdentifier       Status = 0x11F
	StatusInvalidSecondaryControllerState   Status = 0x120
	StatusInvalidControllerResources        Status = 0x121
	StatusInvalidResourceIdentifier         Status = 0x122
	StatusSanitizeProhibitedPMREnabled      Status = 0x123
	StatusANAGroupIdentifierInvalid         Status = 0x124
	StatusANAAttachFailed                   Status = 0x125
	StatusInsufficientCapacity              Status = 0x126
	StatusNamespaceAttachmentLimitExceeded  Status = 0x127
	StatusLockdownNotSupported              Status = 0x128
	StatusIOCommandSetNotSupported          Status = 0x129
	StatusIOCommandSetNotEnabled            Status = 0x12A
	StatusIOCommandSetCombinationRejected   Status = 0x12B
	StatusInvalidIOCommandSet               Status = 0x12C
	StatusIdentifierUnavailable             Status = 0x12D
	StatusStreamAllocationFailed            Status = 0x17F
	StatusConflictingAttributes             Status = 0x180
	StatusInvalidProtectionInformation      Status = 0x181
	StatusWriteToReadOnlyRange              Status = 0x182
	StatusCommandSizeLimitExceeded          Status = 0x183
	StatusZoneBoundaryError                 Status = 0x1B8
	StatusZoneIsFull                        Status = 0x1B9
	StatusZoneIsReadOnly                    Status = 0x1BA
	StatusZoneIsOffline                     Status = 0x1BB
	StatusZoneInvalidWrite                  Status = 0x1BC
	StatusTooManyActiveZones                Status = 0x1BD
	StatusTooManyOpenZones                  Status = 0x1BE
	StatusInvalidZoneStateTransition        Status = 0x1BF
)

// The media and data integrity errors (SCT 2h).
//
// Source: NVM Express Base Specification, Revision 2.0, Status Code - Media and
// Data Integrity Error Values; NVM Command Set Specification, Revision 1.0.
const (
	StatusWriteFault               Status = 0x280
	StatusUnrecoveredReadError     Status = 0x281
	StatusGuardCheckError          Status = 0x282
	StatusApplicationTagCheckError Status = 0x283
	StatusReferenceTagCheckError   Status = 0x284
	StatusCompareFailure           Status = 0x285
	StatusAccessDenied             Status = 0x286
	StatusDeallocatedBlock         Status = 0x287
	StatusStorageTagCheckError     Status = 0x288
)

// The path related status values (SCT 3h).
//
// Source: NVM Express Base Specification, Revision 2.0, Status Code - Path
// Related Status Values.
const (
	StatusInternalPathError              Status = 0x300
	StatusAsymmetricAccessPersistentLoss Status = 0x301
	StatusAsymmetricAccessInaccessible   Status = 0x302
	StatusAsymmetricAccessTransition     Status = 0x303
	StatusControllerPathingError         Status = 0x360
	StatusHostPathingError               Status = 0x370
	StatusAbortedByHost                  Status = 0x371
)

// statusNames has the name of each status above.
var statusNames = map[Status]string{
	StatusSuccess:                           "Successful Completion",
	StatusInvalidOpcode:                     "Invalid Command Opcode",
	StatusInvalidField:                      "Invalid Field in Command",
	StatusCommandIDConflict:                 "Command ID Conflict",
	StatusDataTransferError:                 "Data Transfer Error",
	StatusPowerLossNotification:             "Commands Aborted due to Power Loss Notification",
	StatusInternalError:                     "Internal Error",
	StatusAbortRequested:                    "Command Abort Requested",
	StatusSQDeletion:                        "Command Aborted due to SQ Deletion",
	StatusFailedFusedCommand:                "Command Aborted due to Failed Fused Command",
	StatusMissingFusedCommand:               "Command Aborted due to Missing Fused Command",
	StatusInvalidNamespace:                  "Invalid Namespace or Format",
	StatusCommandSequenceError:              "Command Sequence Error",
	StatusInvalidSGLSegment:                 "Invalid SGL Segment Descriptor",
	StatusInvalidSGLCount:                   "Invalid Number of SGL Descriptors",
	StatusDataSGLLengthInvalid:              "Data SGL Length Invalid",
	StatusMetadataSGLLengthInvalid:          "Metadata SGL Length Invalid",
	StatusSGLDescriptorTypeInvalid:          "SGL Descriptor Type Invalid",
	StatusInvalidControllerMemoryBuffer:     "Invalid Use of Controller Memory Buffer",
	StatusPRPOffsetInvalid:                  "PRP Offset Invalid",
	StatusAtomicWriteUnitExceeded:           "Atomic Write Unit Exceeded",
	StatusOperationDenied:                   "Operation Denied",
	StatusSGLOffsetInvalid:                  "SGL Offset Invalid",
	StatusHostIdentifierInconsistent:        "Host Identifier Inconsistent Format",
	StatusKeepAliveTimerExpired:             "Keep Alive Timer Expired",
	StatusKeepAliveTimeoutInvalid:           "Keep Alive Timeout Invalid",
	StatusPreemptAndAbort:                   "Command Aborted due to Preempt and Abort",
	StatusSanitizeFailed:                    "Sanitize Failed",
	StatusSanitizeInProgress:                "Sanitize In Progress",
	StatusSGLGranularityInvalid:             "SGL Data Block Granularity Invalid",
	StatusNotSupportedInCMB:                 "Command Not Supported for Queue in CMB",
	StatusNamespaceWriteProtected:           "Namespace is Write Protected",
	StatusCommandInterrupted:                "Command Interrupted",
	StatusTransientTransportError:           "Transient Transport Error",
	StatusProhibitedByLockdown:              "Command Prohibited by Command and Feature Lockdown",
	StatusAdminMediaNotReady:                "Admin Command Media Not Ready",
	StatusLBAOutOfRange:                     "LBA Out of Range",
	StatusCapacityExceeded:                  "Capacity Exceeded",
	StatusNamespaceNotReady:                 "Namespace Not Ready",
	StatusReservationConflict:               "Reservation Conflict",
	StatusFormatInProgress:                  "Format In Progress",
	StatusInvalidValueSize:                  "Invalid Value Size",
	StatusInvalidKeySize:                    "Invalid Key Size",
	StatusKeyDoesNotExist:                   "KV Key Does Not Exist",
	StatusUnrecoveredError:                  "Unrecovered Error",
	StatusKeyExists:                         "Key Exists",
	StatusCompletionQueueInvalid:            "Completion Queue Invalid",
	StatusInvalidQueueIdentifier:            "Invalid Queue Identifier",
	StatusInvalidQueueSize:                  "Invalid Queue Size",
	StatusAbortLimitExceeded:                "Abort Command Limit Exceeded",
	StatusAsynchronousEventLimitExceeded:    "Asynchronous Event Request Limit Exceeded",
	StatusInvalidFirmwareSlot:               "Invalid Firmware Slot",
	StatusInvalidFirmwareImage:              "Invalid Firmware Image",
	StatusInvalidInterruptVector:            "Invalid Interrupt Vector",
	StatusInvalidLogPage:                    "Invalid Log Page",
	StatusInvalidFormat:                     "Invalid Format",
	StatusFirmwareNeedsConventionalReset:    "Firmware Activation Requires Conventional Reset",
	StatusInvalidQueueDeletion:              "Invalid Queue Deletion",
	StatusFeatureNotSaveable:                "Feature Identifier Not Saveable",
	StatusFeatureNotChangeable:              "Feature Not Changeable",
	StatusFeatureNotNamespaceSpecific:       "Feature Not Namespace Specific",
	StatusFirmwareNeedsSubsystemReset:       "Firmware Activation Requires NVM Subsystem Reset",
	StatusFirmwareNeedsControllerReset:      "Firmware Activation Requires Controller Level Reset",
	StatusFirmwareNeedsMaximumTimeViolation: "Firmware Activation Requires Maximum Time Violation",
	StatusFirmwareActivationProhibited:      "Firmware Activation Prohibited",
	StatusOverlappingRange:                  "Overlapping Range",
	StatusNamespaceInsufficientCapacity:     "Namespace Insufficient Capacity",
	StatusNamespaceIdentifierUnavailable:    "Namespace Identifier Unavailable",
	StatusNamespaceAlreadyAttached:          "Namespace Already Attached",
	StatusNamespaceIsPrivate:                "Namespace Is Private",
	StatusNamespaceNotAttached:              "Namespace Not Attached",
	StatusThinProvisioningNotSupported:      "Thin Provisioning Not Supported",
	StatusControllerListInvalid:             "Controller List Invalid",
	StatusSelfTestInProgress:                "Device Self-test In Progress",
	StatusBootPartitionWriteProhibited:      "Boot Partition Write Prohibited",
	StatusInvalidControllerIdentifier:       "Invalid Controller Identifier",
	StatusInvalidSecondaryControllerState:   "Invalid Secondary Controller State",
	StatusInvalidControllerResources:        "Invalid Number of Controller Resources",
	StatusInvalidResourceIdentifier:         "Invalid Resource Identifier",
	StatusSanitizeProhibitedPMREnabled:      "Sanitize Prohibited While Persistent Memory Region is Enabled",
	StatusANAGroupIdentifierInvalid:         "ANA Group Identifier Invalid",
	StatusANAAttachFailed:                   "ANA Attach Failed",
	StatusInsufficientCapacity:              "Insufficient Capacity",
	StatusNamespaceAttachmentLimitExceeded:  "Namespace Attachment Limit Exceeded",
	StatusLockdownNotSupported:              "Prohibition of Command Execution Not Supported",
	StatusIOCommandSetNotSupported:          "I/O Command Set Not Supported",
	StatusIOCommandSetNotEnabled:            "I/O Command Set Not Enabled",
	StatusIOCommandSetCombinationRejected:   "I/O Command Set Combination Rejected",
	StatusInvalidIOCommandSet:               "Invalid I/O Command Set",
	StatusIdentifierUnavailable:             "Identifier Unavailable",
	StatusStreamAllocationFailed:            "Stream Resource Allocation Failed",
	StatusConflictingAttributes:             "Conflicting Attributes",
	StatusInvalidProtectionInformation:      "Invalid Protection Information",
	StatusWriteToReadOnlyRange:              "Attempted Write to Read Only Range",
	StatusCommandSizeLimitExceeded:          "Command Size Limit Exceeded",
	StatusZoneBoundaryError:                 "Zone Boundary Error",
	StatusZoneIsFull:                        "Zone Is Full",
	StatusZoneIsReadOnly:                    "Zone Is Read Only",
	StatusZoneIsOffline:                     "Zone Is Offline",
	StatusZoneInvalidWrite:                  "Zone Invalid Write",
	StatusTooManyActiveZones:                "Too Many Active Zones",
	StatusTooManyOpenZones:                  "Too Many Open Zones",
	StatusInvalidZoneStateTransition:        "Invalid Zone State Transition",
	StatusWriteFault:                        "Write Fault",
	StatusUnrecoveredReadError:              "Unrecovered Read Error",
	StatusGuardCheckError:                   "End-to-end Guard Check Error",
	StatusApplicationTagCheckError:          "End-to-end Application Tag Check Error",
	StatusReferenceTagCheckError:            "End-to-end Reference Tag Check Error",
	StatusCompareFailure:                    "Compare Failure",
	StatusAccessDenied:                      "Access Denied",
	StatusDeallocatedBlock:                  "Deallocated or Unwritten Logical Block",
	StatusStorageTagCheckError:              "End-to-end Storage Tag Check Error",
	StatusInternalPathError:                 "Internal Path Error",
	StatusAsymmetricAccessPersistentLoss:    "Asymmetric Access Persistent Loss",
	StatusAsymmetricAccessInaccessible:      "Asymmetric Access Inaccessible",
	StatusAsymmetricAccessTransition:        "Asymmetric Access Transition",
	StatusControllerPathingError:            "Controller Pathing Error",
	StatusHostPathingError:                  "Host Pathing Error",
	StatusAbortedByHost:                     "Command Aborted By Host",
}
