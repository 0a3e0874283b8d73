/** Values for the examples of the operator API's description. */
const operatorId = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
export const applicationId = '0197f6a0-1c2d-7e3f-8a4b-0000000000a1'
export const exampleTime = '2026-05-01T14:08:12.000Z'
export const invitation = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'

export const me = {
  kind: 'operator',
  id: operatorId,
  name: 'Ana',
  login: 'ana',
  role: 'operator',
  applications: null,
  expiresAt: '2026-05-08T14:08:12.000Z',
  idleUntil: '2026-05-02T02:08:12.000Z',
  site: { name: 'sos.example.org', version: '0.9.0', publicUrl: 'https://sos.example.org', node: null },
}

export const offer = {
  login: 'ana',
  name: 'Ana',
  totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  otpauthUri: 'otpauth://totp/sos.example.org:ana?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=sos.example.org',
  expiresAt: '2026-05-04T14:08:12.000Z',
}
