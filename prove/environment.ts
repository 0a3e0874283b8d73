/** For every service that the proof starts. Output is kept in memory, so it is limited to what is needed. */
export const COMMON = { TOCSIN_LOG_LEVEL: 'warn' } as const
