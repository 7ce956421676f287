import type { CallOf, CallOptions, Endpoint } from './endpoints.js'
import { listOf, type Page } from './list.js'

/**
 * The methods of the resources, and the endpoint that each calls. The types of bodies, queries and results come from the OpenAPI
 * document. An endpoint `in pages` returns a `List`.
 */
const RESOURCES = {
  /** Contacts. `id` is the ID of a contact, `external:` and your own ID, or `email:` and the address. */
  contacts: {
    /** Lists contacts. */
    list: 'GET /contacts in pages',
    /** Creates a contact, or updates the one with this external ID or email. */
    upsert: 'POST /contacts with body',
    /** Creates or updates up to 1,000 contacts. */
    upsertMany: 'POST /contacts/bulk with body',
    /** Returns a contact. */
    get: 'GET /contacts/{id}',
    /** Updates a contact. */
    update: 'PATCH /contacts/{id} with body',
    /** Erases a contact and their data. This cannot be undone. */
    delete: 'DELETE /contacts/{id}',
    /** Adds tags to a contact. */
    addTags: 'POST /contacts/{id}/tags with body',
    /** Removes a tag from a contact. */
    removeTag: 'DELETE /contacts/{id}/tags/{tag}',
    /** Lists the messages of a contact. */
    activity: 'GET /contacts/{id}/activity in pages',
    /** Lists the changes of a contact's consent. */
    consentChanges: 'GET /contacts/{id}/consent',
    /** Lists the events of a contact. */
    events: 'GET /contacts/{id}/events in pages',
    /** Lists the enrollments of a contact. */
    enrollments: 'GET /contacts/{id}/enrollments in pages',
    /** Lists the decisions of automations about a contact. */
    decisions: 'GET /contacts/{id}/decisions in pages',
    /** Exports all data of a contact. */
    export: 'GET /contacts/{id}/export',
  },
  /** Custom events, which start and continue automations. */
  events: {
    /** Records an event, and creates or updates its contact in the same call. */
    send: 'POST /events with body',
    /** Records up to 1,000 events. */
    sendMany: 'POST /events/bulk with body',
    /** Fires an event for an existing contact. */
    fire: 'POST /contacts/{id}/events with body',
    /** Lists the events of the workspace. */
    list: 'GET /events in pages',
    /** Lists the names of events, with their properties and the automations that use them. */
    names: 'GET /events/names in pages',
    /** Removes a name that was sent by mistake, with its events. */
    removeName: 'DELETE /events/names/{name}',
  },
  /** Lists of contacts. */
  lists: {
    /** Lists the lists. */
    list: 'GET /lists in pages',
    /** Creates a list. */
    create: 'POST /lists with body',
    /** Returns a list. */
    get: 'GET /lists/{id}',
    /** Updates a list. */
    update: 'PATCH /lists/{id} with body',
    /** Deletes a list. Its contacts remain. */
    delete: 'DELETE /lists/{id}',
    /** Lists the contacts of a list. */
    contacts: 'GET /lists/{id}/contacts in pages',
    /** Adds contacts to a list. */
    addContacts: 'POST /lists/{id}/contacts with body',
    /** Removes a contact from a list. */
    removeContact: 'DELETE /lists/{id}/contacts/{contactId}',
  },
  /** Tags of contacts. */
  tags: {
    /** Lists tags. */
    list: 'GET /tags in pages',
  },
  /** Segments: contacts that match a condition. */
  segments: {
    /** Lists segments. */
    list: 'GET /segments in pages',
    /** Creates a segment. */
    create: 'POST /segments with body',
    /** Returns a segment, with the number of its contacts and what uses it. */
    get: 'GET /segments/{id}',
    /** Updates a segment. */
    update: 'PATCH /segments/{id} with body',
    /** Deletes a segment. */
    delete: 'DELETE /segments/{id}',
    /** Lists the contacts of a segment. */
    contacts: 'GET /segments/{id}/contacts in pages',
    /** Checks whether a contact is in a segment, and why. */
    checkContact: 'GET /segments/{id}/contacts/{contactId}',
    /** Counts the contacts that match a condition. */
    count: 'POST /segments/count with body',
  },
  /** Templates: emails, layouts and partials. */
  templates: {
    /** Lists templates, without their content. */
    list: 'GET /templates in pages',
    /** Creates a template. */
    create: 'POST /templates with body',
    /** Returns a template with its content, or one of its versions. */
    get: 'GET /templates/{id} with query',
    /** Replaces the content of a template, which creates a version. */
    replace: 'PUT /templates/{id} with body',
    /** Deletes a template. */
    delete: 'DELETE /templates/{id}',
    /** Lists the versions of a template. */
    versions: 'GET /templates/{id}/versions in pages',
    /** Returns the results of the messages of a template. */
    report: 'GET /templates/{id}/report',
    /** Renders a template. */
    preview: 'POST /templates/{id}/preview with body',
    /** Sends a test email of a template to members of the workspace. */
    test: 'POST /templates/{id}/test with body',
    /** Renders the content of a template that is not saved. */
    previewUnsaved: 'POST /templates/preview with body',
  },
  /** Images in emails. */
  mediaFiles: {
    /** Lists the files of the media library. */
    list: 'GET /media-files in pages',
    /** Stores an image, and returns its public URL. */
    upload: 'POST /media-files with body',
    /** Returns a file, and what uses it. */
    get: 'GET /media-files/{id}',
    /** Changes the name or the alt text of a file. */
    update: 'PATCH /media-files/{id} with body',
    /** Deletes a file that nothing uses. */
    delete: 'DELETE /media-files/{id}',
  },
  /** Automations: sequences of steps that contacts enter by a trigger. */
  automations: {
    /** Lists automations, without their steps. */
    list: 'GET /automations in pages',
    /** Creates an automation. */
    create: 'POST /automations with body',
    /** Returns an automation with its steps. */
    get: 'GET /automations/{id}',
    /** Updates an automation. */
    update: 'PATCH /automations/{id} with body',
    /** Deletes an automation, and ends its enrollments. */
    delete: 'DELETE /automations/{id}',
    /** Replaces the steps of an automation. */
    replaceSteps: 'PUT /automations/{id}/steps with body',
    /** Updates an automation and its steps in one call. */
    publish: 'POST /automations/{id}/publish with body',
    /** Counts what a publication would do to the contacts inside. */
    previewPublication: 'POST /automations/{id}/publish/preview with body',
    /** Returns the progress of the last publication that moves or ends the contacts inside. */
    getMove: 'GET /automations/{id}/move',
    /** Stops moving or ending the contacts inside. */
    stopMove: 'POST /automations/{id}/move/stop',
    /** Resumes moving or ending the contacts inside. */
    resumeMove: 'POST /automations/{id}/move/resume',
    /** Returns the unpublished changes to an automation. */
    getDraft: 'GET /automations/{id}/draft',
    /** Saves unpublished changes to an automation. */
    saveDraft: 'PUT /automations/{id}/draft with body',
    /** Proposes to publish or activate an automation, for a member to approve. */
    propose: 'POST /automations/{id}/proposals with body',
    /** Discards the unpublished changes to an automation. */
    discardDraft: 'DELETE /automations/{id}/draft',
    /** Enrolls a contact. */
    enroll: 'POST /automations/{id}/enroll with body',
    /** Lists the enrollments of an automation. */
    enrollments: 'GET /automations/{id}/enrollments in pages',
    /** Ends the enrollments of a contact. */
    endEnrollment: 'DELETE /automations/{id}/enrollments/{contactId}',
    /** Ends the present wait of a contact, in a test workspace. */
    skipWait: 'POST /automations/{id}/enrollments/{contactId}/skip',
    /** Returns the stats of an automation and its steps. */
    stats: 'GET /automations/{id}/stats',
    /** Returns the stats of several automations. */
    listStats: 'GET /automations/stats with query',
    /** Returns the results of the messages of an automation, by step, domain, day and link. */
    report: 'GET /automations/{id}/report with query',
    /** Returns how many enrollments of an automation reached its goal. */
    conversion: 'GET /automations/{id}/conversion with query',
    /** Explains why a contact entered an automation, or did not. */
    explain: 'GET /automations/{id}/explanations/{contactId}',
    /** Rehearses an automation, for one contact or for many. */
    rehearse: 'POST /automations/{id}/rehearse with body',
  },
  /** Rehearsals of automations for many contacts. */
  rehearsals: {
    /** Returns what a rehearsal has found so far. */
    get: 'GET /rehearsals/{id}',
    /** Lists the contacts of a rehearsal, with what would happen to each. */
    contacts: 'GET /rehearsals/{id}/contacts in pages',
    /** Ends a rehearsal early. */
    cancel: 'POST /rehearsals/{id}/cancel',
  },
  /** Campaigns: one email to many contacts. */
  campaigns: {
    /** Lists campaigns. */
    list: 'GET /campaigns in pages',
    /** Creates a campaign as a draft. */
    create: 'POST /campaigns with body',
    /** Returns a campaign. */
    get: 'GET /campaigns/{id}',
    /** Updates a campaign. */
    update: 'PATCH /campaigns/{id} with body',
    /** Deletes a campaign. */
    delete: 'DELETE /campaigns/{id}',
    /** Creates a draft with the content and the audience of a campaign. */
    duplicate: 'POST /campaigns/{id}/duplicate',
    /** Sends a campaign now, or at a time. */
    schedule: 'POST /campaigns/{id}/schedule with body',
    /** Proposes to send a campaign, for a member to approve. */
    propose: 'POST /campaigns/{id}/proposals with body',
    /** Pauses a campaign. */
    pause: 'POST /campaigns/{id}/pause',
    /** Resumes a paused campaign. */
    resume: 'POST /campaigns/{id}/resume',
    /** Cancels a campaign. This cannot be undone. */
    cancel: 'POST /campaigns/{id}/cancel',
    /** Returns the signed report of a campaign. */
    report: 'GET /campaigns/{id}/report',
    /** Returns the results of a campaign by receiving domain. */
    domains: 'GET /campaigns/{id}/domains with query',
    /** Returns when the emails of a campaign were sent, opened and clicked. */
    timeline: 'GET /campaigns/{id}/timeline',
    /** Explains why a contact got the email of a campaign, or did not. */
    explain: 'GET /campaigns/{id}/explanations/{contactId}',
    /** Checks the signature of a delivery report. */
    verifyReport: 'POST /campaigns/verify-report with body',
    /** Counts the contacts of an audience. */
    countAudience: 'POST /campaigns/count with body',
  },
  /** Proposals, which members approve or reject in the dashboard. */
  proposals: {
    /** Lists proposals, without their content. */
    list: 'GET /proposals in pages',
    /** Returns a proposal with its content. */
    get: 'GET /proposals/{id}',
  },
  /** Transactional emails: one email to one address, with or without a contact. */
  emails: {
    /** Sends an email, now or at a time. It is durable when this returns. */
    send: 'POST /emails with body',
    /** Sends up to 100 emails, one message each. */
    sendMany: 'POST /emails/batch with body',
    /** Lists emails. */
    list: 'GET /emails in pages',
    /** Returns an email with its events. */
    get: 'GET /emails/{id}',
    /** Cancels an email that is not sent yet. */
    cancel: 'POST /emails/{id}/cancel',
    /** Renders an email without sending it. */
    preview: 'POST /emails/preview with body',
  },
  /** The delivery log. */
  messages: {
    /** Lists messages. */
    list: 'GET /messages in pages',
    /** Returns a message with its content. */
    get: 'GET /messages/{id}',
    /** Sends a failed or unconfirmed message again. */
    retry: 'POST /messages/{id}/retry with body',
    /** Sends many failed or unconfirmed messages again. */
    retryMany: 'POST /messages/retry with body',
    /** Closes an unconfirmed message without sending it. */
    dismiss: 'POST /messages/{id}/dismiss',
  },
  /** Addresses that get no marketing. */
  suppressions: {
    /** Lists suppressions. */
    list: 'GET /suppressions in pages',
    /** Suppresses an address. */
    create: 'POST /suppressions with body',
    /** Deletes a suppression. */
    delete: 'DELETE /suppressions/{id}',
  },
  /** Bounces and complaints. */
  bounces: {
    /** Lists bounces and complaints. */
    list: 'GET /bounces in pages',
  },
  /** Imports of contacts from files. */
  imports: {
    /** Lists imports. */
    list: 'GET /imports in pages',
    /** Creates an import. Pass a small file as `text`, or upload it in chunks. */
    create: 'POST /imports with body',
    /** Returns an import. */
    get: 'GET /imports/{id}',
    /** Deletes an import. Contacts that were imported stay. */
    delete: 'DELETE /imports/{id}',
    /** Uploads a chunk of the file. */
    uploadChunk: 'POST /imports/{id}/chunks with body',
    /** Returns the columns of an uploaded file, what they mean, and what has to be decided. */
    mapping: 'GET /imports/{id}/mapping',
    /** Maps the columns and states the consent. */
    setMapping: 'PUT /imports/{id}/mapping with body',
    /** Starts an import, or continues a stopped one. */
    start: 'POST /imports/{id}/start',
    /** Stops a running import. */
    stop: 'POST /imports/{id}/stop',
    /** Lists the rows that could not be imported. */
    errors: 'GET /imports/{id}/errors in pages',
  },
  /** Webhooks: destinations of events, and their deliveries. */
  webhooks: {
    /** Reads the secret that signs the requests of WEBHOOK steps. */
    stepSecret: 'GET /webhook-secret',
    /** Lists webhooks. */
    list: 'GET /webhooks',
    /** Creates a webhook. Only the result has its secret. */
    create: 'POST /webhooks with body',
    /** Returns a webhook. */
    get: 'GET /webhooks/{id}',
    /** Updates a webhook. */
    update: 'PATCH /webhooks/{id} with body',
    /** Deletes a webhook with its deliveries. */
    delete: 'DELETE /webhooks/{id}',
    /** Replaces the secret of a webhook. Only the result has it. */
    rotateSecret: 'POST /webhooks/{id}/rotate-secret',
    /** Sends a test event to a webhook. */
    test: 'POST /webhooks/{id}/test',
    /** Lists the deliveries of a webhook. */
    deliveries: 'GET /webhooks/{id}/deliveries in pages',
    /** Returns a delivery with its request and responses. */
    delivery: 'GET /webhooks/{id}/deliveries/{deliveryId}',
    /** Sends an event again. */
    replay: 'POST /webhooks/{id}/deliveries/{deliveryId}/replay',
    /** Sends the events of a time range again. */
    replayMany: 'POST /webhooks/{id}/replay with body',
    /** Returns the events after a cursor, and waits for one if there is none. */
    poll: 'GET /webhooks/{id}/events with query',
  },
  /** The workspace of the key. */
  workspace: {
    /** Returns the workspace. */
    get: 'GET /workspace',
    /** Moves the clock of a test workspace forward. */
    moveClock: 'POST /workspaces/current/clock with body',
    /** Returns how many messages the workspace stores, and estimates their size. */
    storage: 'GET /workspace/storage',
    /** Returns the workspace of the key, its scopes and its rate limit. */
    whoami: 'GET /whoami',
    /** Lists changes with who made them. */
    audit: 'GET /audit in pages',
    /** Returns the sender. */
    getSender: 'GET /sender',
    /** Replaces the sender. */
    setSender: 'PUT /sender with body',
    /** Returns the stats of the workspace. */
    stats: 'GET /stats',
    /** Returns what happened in each interval of a period. */
    flow: 'GET /flow with query',
    /** Returns the results of messages by the domain of the recipients. */
    domains: 'GET /reports/domains with query',
    /** Returns the transactional emails of the last hours, by template. */
    transactional: 'GET /reports/transactional with query',
  },
} as const satisfies Record<string, Record<string, Endpoint>>

type Table = typeof RESOURCES

/** The resources of a client: `contacts`, `events`, `automations` and so on. */
export type Resources = {
  readonly [Name in keyof Table]: {
    readonly [Method in keyof Table[Name]]: Table[Name][Method] extends string ? CallOf<Table[Name][Method]> : never
  }
}

/** Sends a request. Returns the JSON of the response. */
export type SendJson = (method: string, path: string, init: object) => Promise<unknown>

/** Creates the methods of all resources. */
export const createResources = (send: SendJson): Resources =>
  mapValues(RESOURCES, (methods: Record<string, Endpoint>) =>
    mapValues(methods, (endpoint) => createCall(send, endpoint)),
  ) as unknown as Resources

const mapValues = <Value, Result>(values: Record<string, Value>, map: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))

function createCall(send: SendJson, endpoint: Endpoint) {
  const [method, template, , input] = endpoint.split(' ') as [string, string, string?, string?]
  const names = [...template.matchAll(/{(\w+)}/g)].map(([, name = '']) => name)
  return (...values: unknown[]) => {
    const path = Object.fromEntries(names.map((name, index) => [name, idOf(values[index], name)]))
    const value = input === undefined ? undefined : values[names.length]
    const options = (values[names.length + (input === undefined ? 0 : 1)] ?? {}) as CallOptions
    const { signal, idempotencyKey, ifMatch } = options
    const header = {
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    }
    const request = (query: unknown) =>
      send(method, template, {
        params: { path, header, query },
        ...(input === 'body' && value !== undefined && { body: value }),
        ...(signal && { signal }),
      })
    if (input === 'pages')
      return listOf(value as object | undefined, (query) => request(query) as Promise<Page<unknown, object>>)
    return request(input === 'query' ? value : undefined).then((json) => (json as { data: unknown }).data)
  }
}

/** An empty ID would call another endpoint: `DELETE /contacts/`. */
function idOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a string that is not empty`)
  return value
}
