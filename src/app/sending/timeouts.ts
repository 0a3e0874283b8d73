import { TEXT_TIMEOUT_MS } from './compose.ts'

/** For how many times `TEXT_TIMEOUT_MS` a provider counts that may take `patienceMs`. */
export const timeoutsOf = (patienceMs = TEXT_TIMEOUT_MS): number => Math.max(1, Math.ceil(patienceMs / TEXT_TIMEOUT_MS))
