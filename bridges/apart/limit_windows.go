package apart

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Limit puts this process into a job object: the system ends it when it takes too
// much memory or time, and it starts no other.
func Limit() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("it could not limit itself: %w", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.ProcessMemoryLimit = memory
	info.BasicLimitInformation.PerProcessUserTimeLimit = int64(processorTime / (100 * time.Nanosecond))
	info.BasicLimitInformation.ActiveProcessLimit = 1
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY | windows.JOB_OBJECT_LIMIT_PROCESS_TIME |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, windows.CurrentProcess())
	}
	if err != nil {
		return fmt.Errorf("it could not limit itself: %w", err)
	}
	return nil
}
