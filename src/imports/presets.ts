import { normalizeTitle } from './cells.ts'
import type { ColumnDecision } from './decision.ts'
import { EMAIL_TITLES, FIRST_NAME_TITLES, LAST_NAME_TITLES } from './titles.ts'

/** The columns of another service's export: titles in all its languages, and what they mean. Other columns are asked for. */
interface Preset {
  label: string
  /** Columns that only this service's exports have. */
  knownBy: readonly string[]
  columns: readonly (readonly [titles: string, decision: ColumnDecision])[]
  /** Columns with opt-outs, but not all of them. If a file has no other ones, the consent of the rest must be stated. */
  partialConsent?: string
  /** A remark for the user about data that the file lacks. */
  note?: string
}

const NOTHING: ColumnDecision = { field: 'nothing' }
const TAGS: ColumnDecision = { field: 'tags' }
const CREATED: ColumnDecision = { field: 'metadata.createdAt', type: 'date' }
const NAMES = [
  [EMAIL_TITLES, { field: 'email' }],
  [FIRST_NAME_TITLES, { field: 'firstName' }],
  [LAST_NAME_TITLES, { field: 'metadata.lastName' }],
] as const
const key = (name: string): ColumnDecision => ({ field: `metadata.${name}` })
const consent = (...yes: string[]) => ({ field: 'consent', yes })
/** A filled cell is an opt-out, such as the time of an unsubscribe. */
const EMPTY = consent('')
const FALSE = consent('', 'false', 'no', '0')

const PRESETS = {
  listmonk: {
    label: 'listmonk',
    knownBy: ['uuid', 'attributes', 'status'],
    columns: [
      ...NAMES,
      ['name', { field: 'name' }],
      ['uuid', key('listmonkUuid')],
      ['attributes|attribs', { field: 'metadata' }],
      ['status', { ...consent('enabled'), blocked: ['blocklisted', 'blacklisted', 'disabled'] }],
      ['created_at', CREATED],
      ['id|updated_at|lists', NOTHING],
    ],
    note: 'Contacts who left a list in listmonk are "enabled" in this file. Also import the export of each list, filtered by "unsubscribed", with the consent UNSUBSCRIBED.',
  },
  mailchimp: {
    label: 'Mailchimp',
    knownBy: ['leid', 'euid'],
    columns: [
      ...NAMES,
      ['unsub_time', EMPTY],
      ['clean_time', { ...EMPTY, bounced: ['*'] }],
      ['tags', TAGS],
      ['timezone', key('timezone')],
      ['euid', key('mailchimpEuid')],
      ['optin_time|confirm_time', CREATED],
      ['address|adresse|dirección|indirizzo|endereço|adres', key('address')],
      [
        'phone number|telefonnummer|numéro de téléphone|número de teléfono|numero di telefono|número de telefone|telefoonnummer',
        key('phone'),
      ],
      ['birthday|geburtstag|anniversaire|cumpleaños|compleanno|aniversário|verjaardag', key('birthday')],
      [
        'sms phone number|sms_marketing_status|member_rating|optin_ip|confirm_ip|latitude|longitude|gmtoff|dstoff|cc|region|last_changed|leid|notes|' +
          'unsub_campaign_title|unsub_campaign_id|unsub_reason|unsub_reason_other|clean_campaign_title|clean_campaign_id',
        NOTHING,
      ],
    ],
    note: 'Mailchimp exports one file for each status. The files of subscribed and nonsubscribed contacts look alike: state the consent by the name of the file.',
  },
  plunk: {
    label: 'Plunk',
    knownBy: ['subscribed', 'snoozedUntil', 'data'],
    columns: [
      ...NAMES,
      ['subscribed', consent('true', '1', 'yes')],
      ['snoozedUntil', EMPTY],
      ['data', { field: 'metadata' }],
      ['id', key('plunkId')],
      ['createdAt', CREATED],
      ['updatedAt|projectId', NOTHING],
    ],
    partialConsent: 'snoozedUntil',
  },
  keila: {
    label: 'Keila',
    knownBy: ['email', 'first name', 'last name', 'data'],
    columns: [
      ...NAMES,
      ['status', { ...consent('active'), bounced: ['unreachable'] }],
      ['data', { field: 'metadata' }],
      ['external id', { field: 'externalId' }],
    ],
    note: 'If the file has no column "Status", state the consent of its contacts.',
  },
  buttondown: {
    label: 'Buttondown',
    knownBy: ['subscriber_type', 'creation_date'],
    columns: [
      ...NAMES,
      [
        'subscriber_type|type',
        {
          ...consent('regular', 'premium', 'gifted', 'trialed', 'churning', 'paid'),
          bounced: ['undeliverable'],
          blocked: ['blocked', 'complained', 'removed'],
        },
      ],
      ['unsubscription_date', EMPTY],
      ['undeliverability_date', { ...EMPTY, bounced: ['*'] }],
      ['id', key('buttondownId')],
      ['creation_date|subscription_date', CREATED],
      ['notes', key('notes')],
      ['metadata', { field: 'metadata' }],
      ['tags', TAGS],
      [
        'source|secondary_id|referrer_url|referral_code|utm_campaign|utm_medium|utm_source|ip_address|undeliverability_reason|avatar_url|' +
          'last_open_date|last_click_date|open_rate|click_rate|upgrade_date|churn_date|risk_score|stripe_customer_id|transitions',
        NOTHING,
      ],
    ],
    partialConsent: 'undeliverability_date',
  },
  brevo: {
    label: 'Brevo',
    knownBy: ['added_time', 'modified_time'],
    columns: [
      ...NAMES,
      ['email_blacklist|email_blacklisted|email_blocklist|email_blocklisted|blacklisted|blocklisted', FALSE],
      ['contact_id|id', key('brevoId')],
      ['ext_id', { field: 'externalId' }],
      ['sms', key('phone')],
      ['added_time', key('createdAt')],
      ['sms_blacklist|sms_blacklisted|modified_time|_listIds|list_ids', NOTHING],
    ],
    note: 'If the file has no column of blocklisted contacts, export the blocklisted contacts separately, and import them with the consent UNSUBSCRIBED.',
  },
  hubspot: {
    label: 'HubSpot',
    knownBy: ['record id', 'unsubscribed from all email'],
    columns: [
      ...NAMES,
      ['record id|record id - contact|contact id', key('hubspotId')],
      ['unsubscribed from all email', FALSE],
      ['marketing contact status', consent('marketing contact')],
      ['email hard bounce reason|hard bounce reason', { ...EMPTY, bounced: ['*'] }],
      ['invalid email address', { ...FALSE, bounced: ['*'] }],
      ['email address quarantined reason|email quarantine reason', EMPTY],
      ['create date', CREATED],
      ['phone number', key('phone')],
      ['company name|associated company', key('company')],
      [
        'contact owner|lead status|last activity date|favorite content topics|preferred channels|associated company ids',
        NOTHING,
      ],
    ],
    // A contact who unsubscribed still is a marketing contact.
    partialConsent:
      'marketing contact status|email hard bounce reason|hard bounce reason|invalid email address|email address quarantined reason|email quarantine reason',
  },
  kit: {
    label: 'Kit (ConvertKit)',
    knownBy: ['first_name', 'email', 'created_at', 'status'],
    columns: [
      ...NAMES,
      ['status|state', { ...consent('active', 'confirmed'), bounced: ['bounced'], blocked: ['complained'] }],
      ['created_at|subscribed_at', CREATED],
      ['tags', TAGS],
      ['id|subscriber_id', key('kitId')],
      [
        'referrer|referrer_utm_source|referrer_utm_medium|referrer_utm_campaign|utm_source|utm_medium|utm_campaign|ip_address',
        NOTHING,
      ],
    ],
  },
  substack: {
    label: 'Substack',
    knownBy: ['email', 'active_subscription', 'email_disabled'],
    columns: [
      ...NAMES,
      ['name', { field: 'name' }],
      // Readers who switched all emails off.
      ['email_disabled', FALSE],
      ['plan', key('plan')],
      ['active_subscription', key('activeSubscription')],
      ['expiry', key('expiry')],
      ['first_payment_at', key('firstPaymentAt')],
      ['created_at', CREATED],
    ],
  },
  ghost: {
    label: 'Ghost',
    knownBy: ['email', 'subscribed_to_emails', 'complimentary_plan'],
    columns: [
      ...NAMES,
      ['name', { field: 'name' }],
      ['subscribed_to_emails', consent('true')],
      ['deleted_at', EMPTY],
      ['labels', TAGS],
      ['note', key('note')],
      ['tiers', key('tiers')],
      ['id', key('ghostId')],
      ['created_at', CREATED],
      ['complimentary_plan|stripe_customer_id|import_tier|error', NOTHING],
    ],
    partialConsent: 'deleted_at',
  },
} as const satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[]

const DECISIONS = new Map(
  PRESET_NAMES.map((name) => {
    const { columns }: Preset = PRESETS[name]
    const decisions = columns.flatMap(([titles, decision]) =>
      titles.split('|').map((title) => [normalizeTitle(title), decision] as const),
    )
    return [name, new Map(decisions)]
  }),
)

/** Returns what a column means in the export of a service. */
export const decisionOfPreset = (preset: PresetName, title: string): ColumnDecision | undefined =>
  DECISIONS.get(preset)!.get(normalizeTitle(title))

/** Checks whether a column holds opt-outs, but not all of them. */
export const isPartialConsent = (preset: PresetName, title: string): boolean =>
  ((PRESETS[preset] as Preset).partialConsent ?? '').split('|').map(normalizeTitle).includes(normalizeTitle(title))

/** Returns the note for the user of a preset. */
export const noteOf = (preset: PresetName): string | null => (PRESETS[preset] as Preset).note ?? null

/** Recognizes the export of a service by its columns. */
export function detectPreset(titles: readonly string[]): PresetName | null {
  const names = new Set(titles.map(normalizeTitle))
  return (
    PRESET_NAMES.find((preset) => PRESETS[preset].knownBy.every((title) => names.has(normalizeTitle(title)))) ?? null
  )
}
