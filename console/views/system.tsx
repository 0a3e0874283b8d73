import { useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type {
  Backups,
  Clock,
  DeadLetter,
  Feedback,
  Health,
  Items,
  Message,
  Node,
  Operator,
  Role,
  Token,
} from '../api/types.ts'
import { healthKind } from '../logic/health-kind.ts'
import { Confirm, Copy, Empty, Field, Form, Panel, Problem, Select } from '../parts/controls.tsx'
import { DoctorPanel } from '../parts/doctor.tsx'
import { Listing, Table, useRead } from '../parts/listing.tsx'
import { ago, fullMoment, Moment, moment } from '../parts/moment.tsx'
import { useShownOnce } from '../parts/shown-once.ts'
import { Small } from '../parts/small.tsx'
import { useTask } from '../parts/task.ts'
import { allTexts, language, locale } from '../state/language.ts'
import { endsSoon, mayAdminister, maySetUp, me } from '../state/session.ts'
import { listWords } from '../texts/lists.ts'
import { passkeyWords } from '../texts/passkeys.ts'
import { Audit } from './audit.tsx'

const roleNames = (): readonly (readonly [Role, string])[] =>
  (['viewer', 'operator', 'admin'] as const).map((role) => [role, allTexts.value.roles[role]])

/** The state of the service, its operators and the audit log. */
export function System() {
  const t = allTexts.value.system
  const words = listWords[language.value]
  return (
    <main>
      <h1>{allTexts.value.views.system}</h1>
      <div class="columns broad flow">
        <HealthPanel />
        <DoubtedClock />
        <BackupsPanel />
        {maySetUp.value && <DoctorPanel />}
        {mayAdminister.value && <Operators />}
        {mayAdminister.value && <Tokens />}
        <Nodes />
      </div>
      {mayAdminister.value && <Audit />}
      <Panel title={t.outbox}>
        <Listing<Message>
          path="/outbox?limit=20"
          label={t.outbox}
          empty={words.noOutbox}
          columns={[
            [t.at, ({ createdAt }) => <Moment at={createdAt} />],
            [t.channel, ({ channel }) => allTexts.value.channels[channel] ?? channel],
            [t.to, ({ to }) => to],
            [t.text, ({ text }) => text],
          ]}
        />
      </Panel>
      <Panel title={t.deadLetters}>
        <Listing<DeadLetter>
          path="/dead-letters?limit=20"
          label={t.deadLetters}
          empty={words.noDeadLetters}
          columns={[
            [t.at, ({ receivedAt }) => <Moment at={receivedAt} />],
            [t.topic, ({ topic }) => <code>{topic}</code>],
            [t.why, ({ reason }) => <span lang="en">{reason}</span>],
            [t.bytes, ({ payloadBytes }) => payloadBytes],
          ]}
        />
      </Panel>
      <Panel title={t.feedback}>
        <Listing<Feedback>
          path="/feedback?limit=20"
          label={t.feedback}
          empty={words.noFeedback}
          columns={[
            [t.at, ({ createdAt }) => <Moment at={createdAt} />],
            [t.who, ({ externalUserId }) => externalUserId],
            [t.text, ({ message }) => message],
            [t.rating, ({ rating }) => rating],
          ]}
        />
      </Panel>
    </main>
  )
}

/** A clock that the service does not trust: an operator checks and confirms it. */
function DoubtedClock() {
  const t = allTexts.value.service
  const { found, again } = useRead<Clock>('/clock')
  const task = useTask()
  const [asking, ask] = useState(false)
  if (found === null || found.believed) return null
  return (
    <Panel title={t.clock}>
      <p>{t.clockSays(fullMoment(found.now))}</p>
      <p>{t.clockMeans}</p>
      {mayAdminister.value && (
        <button type="button" disabled={task.busy} onClick={() => ask(true)}>
          {t.acceptClock}
        </button>
      )}
      <Problem text={task.problem} />
      {asking && (
        <Confirm
          title={t.acceptAsk(fullMoment(found.now))}
          yes={t.acceptClock}
          busy={task.busy}
          onYes={() =>
            void task
              .run(() => send('/clock/accept'))
              .then(() => {
                ask(false)
                again()
              })
          }
          onNo={() => ask(false)}
        >
          <p>{t.acceptMeans}</p>
        </Confirm>
      )}
    </Panel>
  )
}

const megabytes = (bytes: number): string =>
  (bytes / 1e6).toLocaleString(locale.value, { maximumFractionDigits: bytes < 1e7 ? 1 : 0 })

function BackupsPanel() {
  const t = allTexts.value.service
  const { found, problem } = useRead<Backups>('/backups')
  return (
    <Panel title={t.backups}>
      <Problem text={problem} />
      {found !== null && !found.isOwn && <p>{t.backupsElsewhere}</p>}
      {found?.isOwn === true && (
        <>
          <p class={found.isOld ? 'error' : 'good'}>
            {found.isOld ? '✕' : '✓'}{' '}
            {found.last === null
              ? t.noBackup
              : t.lastBackup(ago(found.last.at), moment(found.last.at), megabytes(found.last.bytes))}
          </p>
          {found.nightly === null && found.isOld && (
            <p>
              {t.backUp} <code>tocsin backup FILE</code>
            </p>
          )}
          {found.nightly !== null && <p>{t.nightly(found.nightly.at, moment(found.nightly.nextAt))}</p>}
          {found.nightly?.failure && (
            <p class="error">
              {(found.nightly.failure.isMade ? t.backupAfterFailed : t.backupFailed)(moment(found.nightly.failure.at))}
              <br />
              <small lang="en">{found.nightly.failure.reason}</small>
            </p>
          )}
        </>
      )}
    </Panel>
  )
}

function HealthPanel() {
  const t = allTexts.value.system
  const { found, problem } = useRead<Health>('/health')
  const site = me.value?.site
  return (
    <Panel title={t.health}>
      <Problem text={problem} />
      {found !== null && (
        <>
          <p class={found.status === 'ready' ? 'good' : 'error'}>
            {found.status === 'ready' ? `✓ ${t.ready}` : `✕ ${t.notReady}`}
          </p>
          <ul class="lacks">
            {[...found.reasons, ...found.concerns].map((sentence) => (
              <li key={sentence}>
                {allTexts.value.healthMeans[healthKind(sentence)]}
                <details>
                  <summary>{t.inLog}</summary>
                  <small class="quiet" lang="en">
                    {sentence}
                  </small>
                </details>
              </li>
            ))}
          </ul>
          <dl class="plain">
            {Object.entries(found.figures).map(([name, count]) => (
              <div key={name}>
                <dt>{t.figures[name] ?? name}</dt>
                <dd>{count}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {site !== undefined && <p class="quiet">{t.release(site.version, site.commit, site.schema)}</p>}
    </Panel>
  )
}

function Nodes() {
  const t = allTexts.value.system
  const { found, again } = useRead<Items<Node>>('/nodes')
  const task = useTask()
  const [said, say] = useState<string | null>(null)
  const drain = (id: string, draining: boolean): void =>
    void task
      .run(async () => {
        const { isAlone } = await send<{ isAlone: boolean }>(`/nodes/${encodeURIComponent(id)}/drain`, { draining })
        say(draining && isAlone ? allTexts.value.service.aloneNode(id) : null)
      })
      .then(again)
  if (found === null || found.items.length === 0) return null
  return (
    <Panel title={t.nodes}>
      <Table
        label={t.nodes}
        items={found.items}
        columns={[
          [t.node, ({ id }) => id],
          [t.state, ({ state }) => t.nodeStates[state] ?? state],
          [t.version, ({ version }) => version],
          [t.since, ({ startedAt }) => <Moment at={startedAt} />],
          [
            allTexts.value.actions,
            ({ id, state }) =>
              mayAdminister.value &&
              (state === 'sending' || state === 'draining') && (
                <button type="button" class="small" disabled={task.busy} onClick={() => drain(id, state === 'sending')}>
                  {state === 'sending' ? allTexts.value.service.drain : allTexts.value.service.undrain}
                </button>
              ),
          ],
        ]}
      />
      <Problem text={task.problem ?? said} />
    </Panel>
  )
}

type Grantee = { readonly name: string; readonly role: Role }

/** The fields of anyone who gets access: the displayed name, and the role. */
function GrantFields<G extends Grantee>({ given, set }: { readonly given: G; readonly set: (given: G) => void }) {
  const t = allTexts.value.system
  return (
    <>
      <Field
        label={t.name}
        required
        value={given.name}
        onInput={(event) => set({ ...given, name: event.currentTarget.value })}
      />
      <Select
        label={t.role}
        value={given.role}
        options={roleNames()}
        onPick={(role) => set({ ...given, role: role as Role })}
      />
    </>
  )
}

function Operators() {
  const t = allTexts.value.system
  const p = passkeyWords[language.value]
  const words = listWords[language.value]
  const [resets, ask] = useState<Operator | null>(null)
  const [leaving, leave] = useState<Operator | null>(null)
  const { found, problem, again } = useRead<Items<Operator>>('/operators')
  const task = useTask()
  const [given, set] = useState<{ login: string; name: string; role: Role }>({ login: '', name: '', role: 'operator' })
  const { shown, show } = useShownOnce<string>()
  const invite = async (id: string): Promise<void> => {
    show((await send<{ url: string }>(`/operators/${id}/invitation`, {})).url)
  }
  const add = (): void =>
    void task
      .run(async () => {
        show((await send<{ url: string }>('/operators', { ...given, applications: null })).url)
        set({ login: '', name: '', role: 'operator' })
      })
      .then(again)
  const disable = ({ id }: Operator, disabled: boolean): void =>
    void task
      .run(() => call('PATCH', `/operators/${id}`, { disabled }))
      .then(() => {
        leave(null)
        again()
      })
  return (
    <Panel title={t.operators}>
      <Problem text={problem} />
      {found !== null && (
        <Table
          label={t.operators}
          items={found.items}
          columns={[
            [t.name, ({ name, login }) => `${name} (${login})`],
            [t.role, ({ role }) => allTexts.value.roles[role]],
            [p.title, ({ passkeys }) => (passkeys === 0 ? '–' : passkeys)],
            [
              allTexts.value.actions,
              (operator) => (
                <span class="actions">
                  <button
                    type="button"
                    class="small"
                    disabled={task.busy}
                    onClick={() => void task.run(() => invite(operator.id))}
                  >
                    {t.invite}
                  </button>
                  <button
                    type="button"
                    class="small"
                    disabled={task.busy}
                    onClick={() => (operator.disabled ? disable(operator, false) : leave(operator))}
                  >
                    {operator.disabled ? t.enable : t.disable}
                  </button>
                  {operator.passkeys > 0 && (
                    <button type="button" class="small" disabled={task.busy} onClick={() => ask(operator)}>
                      {p.reset}
                    </button>
                  )}
                </span>
              ),
            ],
          ]}
        />
      )}
      {resets !== null && (
        <Confirm
          title={p.resetAsk(resets.name)}
          yes={p.reset}
          busy={task.busy}
          onYes={() => {
            ask(null)
            void task.run(() => call('DELETE', `/operators/${resets.id}/passkeys`)).then(again)
          }}
          onNo={() => ask(null)}
        >
          <p>{p.resetMeans(resets.name)}</p>
        </Confirm>
      )}
      {leaving !== null && (
        <Confirm
          title={words.disableAsk(leaving.name)}
          yes={t.disable}
          busy={task.busy}
          onYes={() => disable(leaving, true)}
          onNo={() => leave(null)}
        >
          <p>{words.disableMeans}</p>
        </Confirm>
      )}
      {shown !== null && (
        <p class="secret" role="status">
          {t.linkOnce}
          <br />
          <code>{shown.secret}</code> <Copy text={shown.secret} />
        </p>
      )}
      <Form onSend={add}>
        <Field
          label={t.login}
          required
          autocapitalize="none"
          value={given.login}
          onInput={(event) => set({ ...given, login: event.currentTarget.value })}
        />
        <GrantFields given={given} set={set} />
        <button type="submit" disabled={task.busy}>
          {t.addOperator}
        </button>
        <Problem text={task.problem} />
      </Form>
    </Panel>
  )
}

const YEAR_MS = 365 * 86_400_000

function Tokens() {
  const t = allTexts.value.system
  const { found, problem, again } = useRead<Items<Token>>('/tokens')
  const task = useTask()
  const [given, set] = useState<{ name: string; role: Role }>({ name: '', role: 'viewer' })
  const { shown, show } = useShownOnce<string>()
  const words = listWords[language.value]
  const [leaving, leave] = useState<Token | null>(null)
  const revoke = ({ id }: Token): void =>
    void task
      .run(() => call('DELETE', `/tokens/${id}`))
      .then(() => {
        leave(null)
        again()
      })
  const add = (): void =>
    void task
      .run(async () => {
        const expiresAt = new Date(Date.now() + YEAR_MS).toISOString()
        const made = await send<{ secret: string }>('/tokens', { ...given, applications: null, expiresAt })
        show(made.secret)
        set({ name: '', role: 'viewer' })
      })
      .then(again)
  return (
    <Panel title={t.tokens}>
      <Problem text={problem} />
      {found !== null && (
        <Table
          label={t.tokens}
          items={found.items}
          columns={[
            [t.name, ({ name }) => name],
            [t.role, ({ role }) => allTexts.value.roles[role]],
            [
              t.until,
              ({ expiresAt }) => (
                <>
                  <Moment at={expiresAt} />{' '}
                  {endsSoon(expiresAt) && <span class="tag">{allTexts.value.service.endsSoon}</span>}
                </>
              ),
            ],
            [
              allTexts.value.actions,
              (token) => <Small text={t.revoke} of={token.name} disabled={task.busy} onClick={() => leave(token)} />,
            ],
          ]}
        />
      )}
      {leaving !== null && (
        <Confirm
          title={words.revokeAsk(leaving.name)}
          yes={t.revoke}
          busy={task.busy}
          onYes={() => revoke(leaving)}
          onNo={() => leave(null)}
        >
          <p>{words.revokeMeans}</p>
        </Confirm>
      )}
      {shown !== null && (
        <p class="secret" role="status">
          {t.tokenOnce}
          <br />
          <code>{shown.secret}</code> <Copy text={shown.secret} />
          <br />
          {t.wallLink} <Copy text={`${location.origin}/console#token=${shown.secret}`} />
        </p>
      )}
      <Form onSend={add}>
        <GrantFields given={given} set={set} />
        <button type="submit" disabled={task.busy}>
          {t.addToken}
        </button>
        <Problem text={task.problem} />
      </Form>
      {found === null && problem === null && <Empty>{allTexts.value.loading}</Empty>}
    </Panel>
  )
}
