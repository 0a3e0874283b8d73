import { APP_ID, USER_ID } from '../sdk/examples.ts'

const username = `sdk:${APP_ID}:mia@hikers`
export const brokerConnect = { username, password: 'a3f1'.repeat(16), clientid: `svc_${APP_ID}_mia` }
export const brokerAccess = {
  username,
  clientid: `svc_${APP_ID}_mia`,
  topic: `sos/alerts/${USER_ID}`,
  action: 'publish',
}
