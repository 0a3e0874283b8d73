import type { Application } from '../../../../core/account/application.ts'
import type { User } from '../../../../core/account/profile.ts'
import { fromRow } from '../engine/row.ts'

export const userOf = fromRow<User>('users')
export const applicationOf = fromRow<Application>('applications')
