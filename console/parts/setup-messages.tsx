import { useState } from 'preact/hooks'
import { isOurs, isProvider, type Provider, providerKeys, variableOf } from '../logic/setup-values.ts'
import { valueProblem } from '../logic/value-problem.ts'
import { lookAtHealth } from '../state/health.ts'
import { allTexts } from '../state/language.ts'
import { BothProofs } from './both-proofs.tsx'
import { Panel, Problem } from './controls.tsx'
import { problemIn } from './setting-field.tsx'
import type { SetupProps } from './setup-part.tsx'
import { ProviderSetup } from './setup-provider.tsx'
import { Small } from './small.tsx'
import { useTask } from './task.ts'

const PROVIDERS = 'notifications.providers'

/** The ways to send in their order, and another one in front. */
export function SetupMessages({ setup, onChanged }: SetupProps) {
  const t = allTexts.value.site.messages
  const task = useTask()
  const [open, show] = useState<Provider | null>(null)
  const [removing, remove] = useState<Provider | null>(null)
  const [said, say] = useState<string | null>(null)
  const inUse = setup.providers
    .filter(({ place }) => place !== null)
    .sort((a, b) => a.place! - b.place!)
    .map(({ provider, problem }) => ({ provider, problem }))
  const order = setup.settings.find(({ key }) => key === PROVIDERS)
  const isOpenHere = order === undefined || isOurs(order)
  const nameOf = (provider: string): string => t.names[provider] ?? provider
  const changed = (what: string): void => {
    say(what)
    show(null)
    remove(null)
    onChanged()
    lookAtHealth()
  }
  const others = (Object.keys(providerKeys) as Provider[]).filter(
    (one) => !inUse.some(({ provider }) => provider === one),
  )
  const choose = (provider: Provider, text: string) => (
    <Small
      text={text}
      of={nameOf(provider)}
      onClick={() => {
        say(null)
        show(provider)
      }}
    />
  )
  return (
    <Panel title={t.title}>
      {inUse.length === 0 && <p class="problem">{t.nowhere}</p>}
      <ol class="providers">
        {inUse.map(({ provider, problem }, n) => (
          <li key={provider}>
            <div>
              <strong>{nameOf(provider)}</strong>
              <br />
              <small>{n === 0 ? t.first : t.behind(n + 1)}</small>
              {problem !== null && <p class="error">✕ {t.broken(valueProblem(problem, allTexts.value.site))}</p>}
            </div>
            {isOpenHere && isProvider(provider) && open === null && (
              <div class="actions">
                {choose(provider, t.change)}
                {inUse.length > 1 && <Small text={t.remove} of={nameOf(provider)} onClick={() => remove(provider)} />}
              </div>
            )}
          </li>
        ))}
      </ol>
      {said !== null && (
        <p class="good" role="status">
          ✓ {said}
        </p>
      )}
      <Problem text={problemIn(task, PROVIDERS) ?? task.problem} />
      {!isOpenHere && order !== undefined && (
        <p>
          {order.source === 'file'
            ? allTexts.value.site.inFile(PROVIDERS)
            : allTexts.value.site.inEnvironment(variableOf(PROVIDERS))}
        </p>
      )}
      {isOpenHere && open === null && others.length > 0 && (
        <>
          <h3>{t.addTitle}</h3>
          <ul class="ways">
            {others.map((provider) => (
              <li key={provider}>
                <strong>{nameOf(provider)}</strong>
                <p>{t.means[provider]}</p>
                {choose(provider, t.add)}
              </li>
            ))}
          </ul>
        </>
      )}
      {open !== null && (
        <ProviderSetup
          key={open}
          setup={setup}
          provider={open}
          formerly={inUse
            .map(({ provider }) => provider)
            .filter((one) => one !== open)
            .map(nameOf)}
          onDone={() => {
            const behind = inUse.filter(({ provider }) => provider !== open).map(({ provider }) => nameOf(provider))
            changed(
              [t.nowFirst(nameOf(open)), behind.length > 0 && t.stays(behind.join(', '))].filter(Boolean).join(' '),
            )
          }}
          onCancel={() => show(null)}
        />
      )}
      {removing !== null && (
        <BothProofs
          title={t.removeAsk(nameOf(removing))}
          yes={t.remove}
          act={(proved) => proved('POST', `/setup/providers/${removing}/remove`, {})}
          onEnd={(ok, error) => {
            remove(null)
            void task.run(() => (error === null ? Promise.resolve() : Promise.reject(error)))
            if (ok) changed(allTexts.value.site.saved)
          }}
        >
          <p>{t.removeMeans(nameOf(removing))}</p>
        </BothProofs>
      )}
    </Panel>
  )
}
