import type { Operation } from '../../operation.ts'

const family = 'OPERATOR'
const eva = { operatorId: '0197f69e-6f00-7a10-9b20-1a2b3c4d5e6f', name: 'Eva Night' }
const ivo = { operatorId: '0197f69e-7a10-7b20-8c30-2b3c4d5e6f70', name: 'Ivo Early' }
const at = '2026-05-01T06:58:00.000Z'

export const shiftOperations = {
  'GET /v1/operator/shift': {
    operationId: 'getShift',
    description:
      'Who is signed in and may take an alarm, offers to the caller and what has come of the caller’s own, and notes to the next shift about what the caller may see.',
    family,
    answers: {
      '200': {
        onShift: [
          { ...eva, seenAt: at },
          { ...ivo, seenAt: at },
        ],
        handOvers: [
          { from: eva, to: ivo, offeredAt: at, endsAt: '2026-05-01T07:03:00.000Z', state: 'offered', answeredAt: null },
        ],
        notes: [{ by: eva, at, text: 'The generator of the Alpine hut is off until noon.' }],
      },
    },
  },
  'POST /v1/operator/shift/hand-over': {
    operationId: 'offerHandOver',
    description:
      'Offers all incidents that the caller has to an operator who is on shift. They stay the caller’s until it is accepted; after 5 min the offer lapses. Replaces an earlier offer. 409 `not_on_shift`.',
    family,
    body: { to: ivo.operatorId },
  },
  'POST /v1/operator/shift/hand-over/accept': {
    operationId: 'acceptHandOver',
    description:
      'Accepts the offer of an operator: all of theirs that the caller may take is the caller’s now. 409 `offer_over`.',
    family,
    body: { from: eva.operatorId },
    answers: { '200': { taken: 3, left: 0 } },
  },
  'POST /v1/operator/shift/hand-over/decline': {
    operationId: 'declineHandOver',
    description: 'Declines the offer of an operator, who is told. 409 `offer_over`.',
    family,
    body: { from: eva.operatorId },
    answers: { '200': { taken: 0, left: 0 } },
  },
  'DELETE /v1/operator/shift/hand-over': {
    operationId: 'withdrawHandOver',
    description: 'Takes the caller’s offer back; once it was answered or has lapsed, puts that away. 409 `offer_over`.',
    family,
  },
  'POST /v1/operator/shift/note': {
    operationId: 'leaveShiftNote',
    description:
      'Leaves a note to the next shift, on the board of everyone who may see what the caller may, until one of them confirms it, for 7 days at most. One for each operator: a new one replaces it. 409 `not_on_shift`.',
    family,
    body: { text: 'The generator of the Alpine hut is off until noon.' },
  },
  'POST /v1/operator/shift/note/confirm': {
    operationId: 'confirmShiftNote',
    description: 'Confirms a note of another shift, or takes the caller’s own back: it goes.',
    family,
    body: { by: eva.operatorId, at },
  },
} as const satisfies Readonly<Record<string, Operation>>
