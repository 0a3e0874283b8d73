/** IANA name of the zone in which this machine is, as far as its settings tell; else UTC. */
export const machineTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
