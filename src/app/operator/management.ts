import type { AuditRow } from '../../core/operator/audit.ts'
import type { AuditFilter } from '../../core/operator/audit-query.ts'
import type { Operator } from '../../core/operator/operator.ts'
import type { ApiToken } from '../../core/operator/session.ts'
import type { Ids } from '../../ports/ids.ts'
import type { OperatorStore, Page, PageQuery, PasskeyStore } from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'
import { addOperator, inviteOperator, resetPasskeys } from './operators.ts'
import { addApiToken, revokeApiToken } from './tokens.ts'

type Update = Parameters<OperatorStore['updateOperator']>[1]

/** The management of operators, tokens and the audit log, for admins of the site. */
export const management = ({
  store,
  ids,
  onUpdated = () => {},
}: {
  readonly store: OperatorStore & PasskeyStore
  readonly ids: Ids
  /** An operator was changed. */
  readonly onUpdated?: () => void
}) => ({
  /** With the number of their passkeys. */
  async operators(): Promise<readonly (Operator & { readonly passkeys: number })[]> {
    const [operators, passkeys] = await Promise.all([store.operators(), store.passkeys(null)])
    const counts = Map.groupBy(passkeys, ({ operatorId }) => operatorId)
    return operators.map((operator) => ({ ...operator, passkeys: counts.get(operator.id)?.length ?? 0 }))
  },
  resetPasskeys: (operatorId: string, by: By) => resetPasskeys({ store }, operatorId, by),
  add: (given: Parameters<typeof addOperator>[1], by: By) => addOperator({ store, ids }, given, by),
  invite: (operatorId: string, by: By) => inviteOperator({ store, ids }, operatorId, by),
  /** The audit row names the changed fields, and states the new role and scope, which are not secret. */
  async update(operatorId: string, update: Update, by: By) {
    const { name: _name, ...granted } = update
    const details = { change: 'updated', fields: Object.keys(update), ...granted }
    const audit = rowBy(by, { action: 'operator.manage', subject: operatorId, details })
    const updated = await store.updateOperator(operatorId, update, { keepAdmin: true }, audit)
    onUpdated()
    return updated
  },
  tokens: (): Promise<readonly ApiToken[]> => store.apiTokens(),
  addToken: (given: Parameters<typeof addApiToken>[1], by: By) => addApiToken({ store, ids }, given, by),
  revokeToken: (tokenId: string, by: By) => revokeApiToken({ store }, tokenId, by),
  audit: (query: PageQuery, filter: AuditFilter): Promise<Page<AuditRow>> => store.auditRows(query, filter),
})
