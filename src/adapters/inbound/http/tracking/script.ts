import { readFileSync } from 'node:fs'
import { besideCode } from '../../../../lib/installation.ts'

/** Without its comments and indentation: every byte counts on a bad line. */
const compact = (source: string): string =>
  source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//') && !line.startsWith('*') && !line.startsWith('/*'))
    .join('\n')

/**
 * Reloads the page like `<meta http-equiv="refresh">` where scripts run but the other one does not, as in old browsers:
 * any browser understands this much.
 */
export const fallbackScript = 'var reloading=setTimeout(function(){location.reload()},30000)'

/** Keeps the page up to date, sends answers without leaving it, and counts ages on. */
export const liveScript = compact(readFileSync(besideCode('adapters/inbound/http/tracking/browser/live.js'), 'utf8'))
