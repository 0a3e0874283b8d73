import { totalmem } from 'node:os'

/** Of a machine that sets no limit, for the service: the rest is for the system, and for what else runs there. */
const SHARE_OF_MACHINE = 0.75

/**
 * How much memory this process may use, in bytes: the limit that is set for it (a control group, as by systemd's
 * MemoryMax or a container), else three quarters of the machine's.
 */
export function memoryLimit(
  { limit, machine }: { readonly limit: number; readonly machine: number } = {
    limit: process.constrainedMemory(),
    machine: totalmem(),
  },
): number {
  // Without a limit, the system reports 0 or more than the machine has.
  return limit > 0 && limit < machine ? limit : Math.floor(machine * SHARE_OF_MACHINE)
}
