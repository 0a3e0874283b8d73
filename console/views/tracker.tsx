import { useEffect } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { TrackerDetail } from '../api/types.ts'
import { hashOf, userHash } from '../logic/route.ts'
import { Back } from '../parts/back.tsx'
import { Empty, Panel, Problem } from '../parts/controls.tsx'
import { useRead } from '../parts/listing.tsx'
import { Ago, Moment, moment } from '../parts/moment.tsx'
import { PairPerson } from '../parts/pair-person.tsx'
import { Silence } from '../parts/silence.tsx'
import { TrackerTokenPanel } from '../parts/tracker-token.tsx'
import { allTexts } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'

const REREAD_MS = 10_000

type Named = { readonly applicationId: string; readonly hardwareId: string }

/** One tracker: its user, its last report, and the token for its app. */
export function TrackerView({ applicationId, hardwareId }: Named) {
  const t = allTexts.value
  const query = new URLSearchParams({ app: applicationId, hardwareId })
  const { found, problem, again } = useRead<TrackerDetail>(`/devices/show?${query}`)
  // After setting up an app, the operator waits here for its first report.
  useEffect(() => {
    const timer = setInterval(again, REREAD_MS)
    return () => clearInterval(timer)
  }, [])
  if (found === null) return <main>{problem === null ? <Empty>{t.loading}</Empty> : <Problem text={problem} />}</main>
  const { userId, externalUserId, silentSince, sosSince, silentAfterMinutes } = found
  return (
    <main>
      <Back to={hashOf('trackers')}>{t.views.trackers}</Back>
      <h1>{found.hardwareId}</h1>
      {sosSince !== null && <p class="banner bad">{t.tracker.flagMeans(moment(sosSince))}</p>}
      {silentSince !== null && <p class="banner warn">⚠ {t.tracker.silentMeans(moment(silentSince))}</p>}
      {found.disabled && <p class="banner warn">{t.tracker.disabledMeans}</p>}
      {userId === null && <p class="banner warn">{t.tracker.unpairedMeans}</p>}
      <Problem text={problem} />
      <div class="columns">
        <Panel title={t.tracker.state}>
          <dl class="plain">
            <div>
              <dt>{t.trackers.owner}</dt>
              <dd>
                {userId === null ? t.trackers.unpaired : <a href={userHash(userId)}>{externalUserId ?? userId}</a>}
              </dd>
            </div>
            {found.model !== null && (
              <div>
                <dt>{t.trackers.model}</dt>
                <dd>{found.model}</dd>
              </div>
            )}
            {found.pairedAt !== null && (
              <div>
                <dt>{t.trackers.pairedAt}</dt>
                <dd>
                  <Moment at={found.pairedAt} />
                </dd>
              </div>
            )}
            <div>
              <dt>{t.tracker.lastHeard}</dt>
              <dd>{found.heardAt === null ? t.tracker.unknown : <Heard at={found.heardAt} />}</dd>
            </div>
            <div>
              <dt>{t.tracker.battery}</dt>
              <dd>{found.battery === null ? t.tracker.unknown : `${Math.round(found.battery)}\u00a0%`}</dd>
            </div>
          </dl>
        </Panel>
        <TrackerTokenPanel tracker={found} onChanged={again} />
        <Silence
          title={t.tracker.silence}
          minutes={silentAfterMinutes}
          inherited={found.applicationSilentAfterMinutes}
          onSave={async (minutes) => {
            await send('/devices/watch', { applicationId, hardwareId, silentAfterMinutes: minutes })
            again()
          }}
        />
        {userId === null && mayAdminister.value && (
          <PairPerson applicationId={applicationId} hardwareId={hardwareId} onPaired={again} />
        )}
      </div>
    </main>
  )
}

const Heard = ({ at }: { readonly at: string }) => (
  <>
    <Ago at={at} /> (<Moment at={at} />)
  </>
)

/** The same for all trackers of an application. */
export const SilenceOfAll = ({
  applicationId,
  minutes,
  onSaved,
}: {
  readonly applicationId: string
  readonly minutes: number
  readonly onSaved: () => void
}) => (
  <Silence
    title={allTexts.value.tracker.silenceOfAll}
    minutes={minutes}
    onSave={async (given) => {
      await call('PATCH', `/applications/${applicationId}`, { silentAfterMinutes: given ?? 0 })
      onSaved()
    }}
  />
)
