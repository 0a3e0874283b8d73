import { CONTACTS } from '../../shared/contacts.ts'

/** Columns under the names of the core's types. */
export const USER = `users.id, users.app_id AS "appId", external_user_id AS "externalUserId", users.name, email, phone,
  address, users.disabled, users.relay, users.created_at AS "createdAt", users.updated_at AS "updatedAt"`

export const APPLICATION = `applications.id, applications.name, applications.language, legacy, applications.disabled,
  settings, actuators, texts, allowed_prefixes AS "allowedPrefixes", time_zone AS "timeZone",
  cors_origins AS "corsOrigins", fallback_contact AS "fallbackContact",
  applications.silent_after_minutes AS "silentAfterMinutes",
  verify_contacts AS "verifyContacts", applications.silent_by_default AS "silentByDefault", applications.relays,
  applications.map_link AS "mapLink",
  applications.created_at AS "createdAt"`

export const CONTACTS_IN_ORDER = {
  name: 'contacts-in-order',
  text: `${CONTACTS} WHERE user_id = $1 ORDER BY priority`,
}
