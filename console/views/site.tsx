import type { Models, SiteSetup } from '../api/types.ts'
import { lostProfiles } from '../logic/lost-profiles.ts'
import { timeIn } from '../logic/time-zones.ts'
import { useApplications } from '../parts/applications.tsx'
import { Back } from '../parts/back.tsx'
import { Empty, Panel, Problem } from '../parts/controls.tsx'
import { useRead } from '../parts/listing.tsx'
import { SetupCertificate } from '../parts/setup-certificate.tsx'
import { SetupChanges } from '../parts/setup-changes.tsx'
import { SetupMessages } from '../parts/setup-messages.tsx'
import { SetupPart } from '../parts/setup-part.tsx'
import { SetupServers } from '../parts/setup-servers.tsx'
import { now } from '../state/clock.ts'
import { allTexts, language, locale } from '../state/language.ts'
import { pairingWords } from '../texts/pairing.ts'

const MAPS = 'map-files'

/** The files to choose from, also said: not every browser shows a list. */
function filesOf(key: string, { mapFiles, overlayFiles }: SiteSetup): { list?: string; note?: string } {
  const t = allTexts.value.site
  const said = (names: readonly string[]) => names.join(', ')
  if (key === 'map.basemap') {
    return { list: MAPS, note: mapFiles.length === 0 ? t.noMapFiles : t.mapFiles(said(mapFiles)) }
  }
  if (key !== 'map.overlays') return {}
  return { note: overlayFiles.length === 0 ? t.noOverlayFiles : t.overlayFiles(said(overlayFiles)) }
}

/** The setup of the site: what would otherwise stand in the configuration file. */
export function Site() {
  const t = allTexts.value
  const { found, problem, again } = useRead<SiteSetup>('/setup')
  const models = useRead<Models>('/devices/models').found?.items ?? []
  const part = found && { setup: found, onChanged: again }
  return (
    <main>
      <Back to="#/settings">{t.views.settings}</Back>
      <h1>{t.views.site}</h1>
      <Problem text={problem} />
      {part === null ? (
        problem === null && <Empty>{t.loading}</Empty>
      ) : (
        <>
          <p class="lead quiet">{t.site.lead}</p>
          {part.setup.keyTrouble !== null && <p class="problem">{t.site.noKey(part.setup.keyTrouble)}</p>}
          <div class="setup">
            <div>
              <SetupMessages {...part} />
              <SetupPart {...part} section="address" keys={['publicUrl']} />
              <SetupCertificate {...part} />
              <SetupPart
                {...part}
                section="mail"
                keys={['smtp.url', 'smtp.from', 'smtp.perSecond', 'smtp.connections']}
              />
              <SetupServers {...part} />
              <SetupPart
                {...part}
                section="trackers"
                keys={['lorawan.profiles']}
                extra={(_, typed) => noteOfLost(lostProfiles(typed, models))}
              />
              <Elsewhere {...part.setup} />
            </div>
            <div>
              <SetupPart
                {...part}
                section="time"
                keys={['timeZone']}
                extra={({ value }, typed) => ({ note: nowThere(typed ?? String(value ?? '')) })}
              />
              <SetupPart
                {...part}
                section="map"
                keys={['map.basemap', 'map.overlays', 'map.tileUrl', 'map.attribution']}
                extra={({ key }) => filesOf(key, part.setup)}
              >
                <datalist id={MAPS}>
                  {part.setup.mapFiles.map((name) => (
                    <option key={name} value={name} />
                  ))}
                </datalist>
              </SetupPart>
              <SetupPart {...part} section="emergency" keys={['tracking.emergencyNumbers']} />
              <SetupPart {...part} section="lan" keys={['notifications.lanHosts']} />
              <SetupChanges {...part} />
            </div>
          </div>
        </>
      )}
    </main>
  )
}

/** That trackers would lose the profile by which their SOS is recognised. */
const noteOfLost = (lost: readonly { readonly model: string; readonly trackers: number }[]): { note?: string } =>
  lost.length === 0
    ? {}
    : {
        note: `⚠ ${pairingWords[language.value].losesProfile(lost.map(({ model, trackers }) => `${model} (${trackers})`).join(', '))}`,
      }

/** The time in a zone as typed; '' if this browser does not know it, or nothing is typed. */
function nowThere(typed: string): string {
  const time = timeIn(typed, now.value, locale.value)
  return time === null ? '' : allTexts.value.site.nowThere(time)
}

/** Settings for an application, or in the file. */
function Elsewhere({ onlyInFile }: Pick<SiteSetup, 'onlyInFile'>) {
  const { elsewhere: t, onlyInFile: words } = allTexts.value.site
  const applications = useApplications()
  return (
    <Panel title={t.title}>
      <p>{t.chat}</p>
      <ul class="exports">
        {applications.map(({ applicationId, name }) => (
          <li key={applicationId}>
            <a href={`#/application/${applicationId}`}>{name}</a>
          </li>
        ))}
        {applications.length === 0 && (
          <li>
            <a href="#/settings">{allTexts.value.settings.noApplication}</a>
          </li>
        )}
      </ul>
      <p>{words.lead}</p>
      <ul class="exports">
        {onlyInFile.map(({ why, keys }) => (
          <li key={why}>
            <code>{keys.join(', ')}</code>
            <br />
            <small class="quiet">{words.why[why] ?? why}</small>
          </li>
        ))}
      </ul>
      <p>
        <a href="#/system">{t.doctor}</a>
      </p>
    </Panel>
  )
}
