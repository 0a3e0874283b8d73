import { type Command, InvalidArgumentError } from 'commander'
import { isoAt } from '../core/ingest/event-time.ts'
import type { AuditRow } from '../core/operator/audit.ts'
import { table } from './answer.ts'
import type { Act } from './command-context.ts'

/** Rows read from the store at a time. */
const PAGE = 500
const DEFAULT_ROWS = 100

/** `tocsin audit …`: the audit log. */
export function addAuditCommands(program: Command, act: Act): void {
  const audit = program.command('audit').description('see who did what with the console and the API')

  audit
    .command('list')
    .description('list the newest rows of the audit log, newest first')
    .option('--limit <rows>', 'how many', wholeNumber, DEFAULT_ROWS)
    .action(
      act(async ({ store }, { limit }: { limit: number }) => {
        const rows: AuditRow[] = []
        let after: string | null = null
        do {
          const page = await store.auditRows({ after, limit: Math.min(PAGE, limit - rows.length) })
          rows.push(...page.items)
          after = page.after
        } while (after !== null && rows.length < limit)
        return { json: rows.map(auditView), text: table(rows.map(auditLine), 'The audit log is empty.') }
      }),
    )
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.')
  return Number(text)
}

const auditView = (row: AuditRow) => ({ ...row, at: isoAt(row.at) })

const auditLine = ({ at, actor, action, appId, userId, subject, address, details }: AuditRow) => ({
  at: isoAt(at),
  who: actor.name,
  action,
  appId,
  userId,
  subject,
  address,
  details: Object.entries(details)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : value}`)
    .join(' '),
})
