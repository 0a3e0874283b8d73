let zone: string | null = null

/**
 * The IANA time zone of this machine's settings, or UTC. Read when first asked for, because loading the calendars takes
 * some 30 ms, and then kept, as every text about a time needs it.
 */
export function machineTimeZone(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
  return zone
}
