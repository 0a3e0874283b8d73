import type { OperatorParts } from '../adapters/inbound/http/operator/parts.ts'
import { createPasswords } from '../adapters/platform/system/passwords.ts'
import { currentItem } from '../app/operator/board-item.ts'
import { operatorCallers } from '../app/operator/callers.ts'
import { passwordChange } from '../app/operator/change-password.ts'
import { operatorDrills } from '../app/operator/drills.ts'
import { firstSignIn } from '../app/operator/first-sign-in.ts'
import { IncidentChanges } from '../app/operator/incident-changes.ts'
import { operatorIncidents } from '../app/operator/incidents.ts'
import { management } from '../app/operator/management.ts'
import { operatorAccount } from '../app/operator/operator-account.ts'
import { presenceCheck } from '../app/operator/presence.ts'
import { operatorShift } from '../app/operator/shift.ts'
import { signingIn } from '../app/operator/sign-in.ts'
import { trackerMqttAddress } from '../config/tracker-mqtt.ts'
import type { Config } from '../config.ts'
import { networkOf } from '../lib/network-of.ts'
import type { Addresses } from './addresses.ts'
import type { Basis } from './storage.ts'

/** What is behind the operator API. */
export function operatorParts(
  config: Config,
  basis: Basis,
  addresses: Pick<Addresses, 'publicUrl'>,
  estate: OperatorParts['estate'],
  onSessionEnded: () => void,
): OperatorParts {
  const passwords = createPasswords()
  const siteName = config.publicUrl === null ? 'Tocsin' : new URL(config.publicUrl).hostname
  const parts = { ...basis, passwords, networkOf, site: siteName, monotonicMs: () => performance.now() }
  const own = { ...parts, isPresent: presenceCheck(parts) }
  const changes = changesOf(basis)
  // The estate's own: whoever looks at incidents and at people has one number of rows an hour.
  const noteLook = estate.look
  return {
    callers: operatorCallers({ ...parts, onSessionEnded }),
    signIn: signingIn(parts),
    firstSignIn: firstSignIn(parts),
    estate,
    incidents: operatorIncidents({
      ...basis,
      noteLook,
      noted: (incidentId) => changes.noted(incidentId),
      ended: (outcome) => basis.meter.count('incidents_resolved_total', { outcome }),
    }),
    drills: operatorDrills(basis),
    shift: operatorShift(basis),
    changePassword: passwordChange(own),
    account: operatorAccount(own),
    manage: management(parts),
    changes,
    noteLook,
    publicUrl: addresses.publicUrl,
    trackerMqtt: trackerMqttAddress(config),
    siteName,
    node: config.node.id,
  }
}

function changesOf({ store, door, ids, log }: Basis): IncidentChanges {
  const changes = new IncidentChanges({
    ids,
    log,
    async read(incidentId) {
      const record = await store.boardRecord(incidentId)
      return record === null ? null : currentItem(store, record)
    },
  })
  // Also of a commit without events: a further press while the contacts are being told has none.
  door.follow(({ incidentId, events }) => {
    if (incidentId !== null) changes.changed(incidentId, events[0]?.message.drill === true)
  })
  return changes
}
