/** Where the apps of trackers report to, below the service's public address, and how they are set up. trackers.md. */
export type SetUp = {
  /** The address that Traccar Client opens or scans. */
  readonly traccar: string
  /** The address that OwnTracks opens. */
  readonly ownTracks: string
}

/** HTTP, in the configuration of OwnTracks. */
const OWNTRACKS_HTTP_MODE = 3

/** Where the apps report to: each below its own name. */
export const trackerAddress = (publicUrl: string): string => `${publicUrl}/v1/trackers`

/** The apps' own set-up links for one tracker. They carry its token: whoever has one can report in its name. */
export function setUpLinks(publicUrl: string, token: string, hardwareId: string): SetUp {
  const base = trackerAddress(publicUrl)
  const configuration = {
    _type: 'configuration',
    mode: OWNTRACKS_HTTP_MODE,
    url: `${base}/owntracks`,
    auth: true,
    username: hardwareId,
    password: token,
    deviceId: hardwareId,
  }
  const inline = encodeURIComponent(Buffer.from(JSON.stringify(configuration), 'utf8').toString('base64'))
  return {
    traccar: `${base}/osmand?id=${encodeURIComponent(token)}`,
    ownTracks: `owntracks:///config?inline=${inline}`,
  }
}
