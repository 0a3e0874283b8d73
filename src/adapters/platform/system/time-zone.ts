/** The IANA time zone of this machine's settings, or UTC. */
export const machineTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
