import type { DriplineClient, Schemas } from '@dripline/client'
import { defineCommand, parseCount, UsageError } from '../command.ts'
import { take } from '../output.ts'
import { confirm } from '../prompt.ts'

const DEFAULT_LIMIT = 50

type EventType = Schemas['WebhookInput']['events'][number]
type DeliveriesQuery = NonNullable<Parameters<DriplineClient['webhooks']['deliveries']>[1]>
type Replay = Schemas['WebhookReplay']

export const webhookCommands = [
  defineCommand({
    call: 'webhooks list',
    what: 'Lists webhooks, with their deliveries that are pending and failed.',
    async run({ output, connect }) {
      await output.list(await connect().webhooks.list(), {
        headings: ['ID', 'URL', 'EVENTS', 'STATUS', 'PENDING', 'FAILED'],
        cells: ({ id, url, events, status, deliveries }) => [
          id,
          url ?? '(polled)',
          events.join(', '),
          status,
          deliveries.pending,
          deliveries.failed,
        ],
        none: 'The workspace has no webhooks. Create one with "dripline webhooks create".',
      })
    },
  }),
  defineCommand({
    call: 'webhooks get',
    args: ['ID'],
    what: 'Shows a webhook.',
    async run({ args: [id = ''], output, connect }) {
      output.resource(await connect().webhooks.get(id))
    },
  }),
  defineCommand({
    call: 'webhooks step-secret',
    what: 'Prints the secret that signs the requests of WEBHOOK steps.',
    async run({ output, connect }) {
      const { secret } = await connect().webhooks.stepSecret()
      output.result({ secret }, () => secret)
    },
  }),
  defineCommand({
    call: 'webhooks create',
    what: 'Creates a webhook, and prints its secret.',
    options: {
      url: { takes: 'URL', what: 'where to send the events; without it, they can only be polled' },
      event: { takes: 'TYPE', many: true, what: 'only events of this type, such as message.bounced; default: all' },
      description: { takes: 'TEXT', what: 'a description for people' },
    },
    async run({ options: { url, event, description }, output, connect }) {
      const webhook = await connect().webhooks.create({
        url: url ?? null,
        events: (event ?? ['*']) as EventType[],
        ...(description !== undefined && { description }),
      })
      output.resource(webhook)
      output.note('Store the secret now. Later, only an owner can read it, in the dashboard.')
    },
  }),
  defineCommand({
    call: 'webhooks update',
    args: ['ID'],
    what: 'Changes, enables or disables a webhook.',
    options: {
      url: { takes: 'URL', what: 'where to send the events' },
      event: { takes: 'TYPE', many: true, what: 'the types of events from now on, or "*" for all' },
      description: { takes: 'TEXT', what: 'a description for people' },
      enable: { what: 'send events again, also the pending ones' },
      disable: { what: 'neither record nor send events' },
    },
    async run({ args: [id = ''], options: { url, event, description, enable, disable }, output, connect }) {
      if (enable && disable) throw new UsageError('Pass --enable or --disable, not both.')
      const change: Schemas['WebhookChange'] = {
        ...(url !== undefined && { url }),
        ...(event && { events: event as EventType[] }),
        ...(description !== undefined && { description }),
        ...((enable || disable) && { status: enable ? 'ENABLED' : 'DISABLED' }),
      }
      if (Object.keys(change).length === 0) throw new UsageError('Pass at least one option to change the webhook.')
      output.resource(await connect().webhooks.update(id, change))
    },
  }),
  defineCommand({
    call: 'webhooks delete',
    args: ['ID'],
    what: 'Deletes a webhook with its deliveries. This cannot be undone.',
    options: { yes: { what: 'do not ask' } },
    async run({ args: [id = ''], options, output, connect }) {
      const dripline = connect()
      const { url, deliveries } = await dripline.webhooks.get(id)
      const question =
        `The webhook ${url === null ? 'without a URL' : `of ${url}`}, its deliveries and its secret will be deleted ` +
        `(pending: ${deliveries.pending}). This cannot be undone.`
      if (!(await confirm(question, options.yes)))
        return output.result({ deleted: false }, () => 'Nothing was deleted.')
      await dripline.webhooks.delete(id)
      output.result({ deleted: true, id }, () => `Deleted: ${id}`)
    },
  }),
  defineCommand({
    call: 'webhooks test',
    args: ['ID'],
    what: 'Sends the event webhook.test to a webhook.',
    async run({ args: [id = ''], output, connect }) {
      output.result(
        await connect().webhooks.test(id),
        (event) => `Recorded: ${event.id}. See the response with "dripline webhooks deliveries ${id} ${event.id}".`,
      )
    },
  }),
  defineCommand({
    call: 'webhooks deliveries',
    args: ['ID', '[DELIVERY]'],
    what: 'Lists the deliveries of a webhook, newest first. With the ID of one, shows its request and its responses.',
    options: {
      status: { takes: 'STATUS', what: 'only PENDING, DELIVERED or FAILED ones' },
      limit: { takes: 'N', what: `at most N deliveries; default: ${DEFAULT_LIMIT}` },
      all: { what: 'all deliveries of the last 30 days' },
    },
    async run({ args: [id = '', deliveryId], options: { status, limit, all }, output, connect }) {
      if (all && limit !== undefined) throw new UsageError('Pass --limit or --all, not both.')
      if (deliveryId !== undefined) {
        if (all || limit !== undefined || status !== undefined)
          throw new UsageError('Pass either the ID of a delivery or options, not both.')
        return output.resource(await connect().webhooks.delivery(id, deliveryId))
      }
      const max = all ? Infinity : (parseCount(limit, 'limit') ?? DEFAULT_LIMIT)
      const deliveries = connect().webhooks.deliveries(id, {
        limit: Math.min(max, 100),
        ...(status !== undefined && { status: status.toUpperCase() as NonNullable<DeliveriesQuery['status']> }),
      })
      await output.list(take(deliveries, max), {
        headings: ['ID', 'TYPE', 'STATUS', 'ATTEMPTS', 'CREATED', 'LAST RESPONSE'],
        cells: ({ id, type, status, attempts, createdAt, lastAttempt }) => [
          id,
          type,
          status,
          attempts,
          createdAt,
          lastAttempt && (lastAttempt.status ?? lastAttempt.problem),
        ],
        none: 'No deliveries match.',
      })
    },
  }),
  defineCommand({
    call: 'webhooks replay',
    args: ['ID', '[DELIVERY]'],
    what: 'Sends an event again, or all events since a time. They keep their IDs.',
    options: {
      since: { takes: 'TIME', what: 'all events since then, such as 2027-01-31T12:00:00Z' },
      until: { takes: 'TIME', what: 'with --since: the end of the range; default: now' },
      status: { takes: 'STATUS', what: 'with --since: only DELIVERED or FAILED ones' },
    },
    async run({ args: [id = '', deliveryId], options: { since, until, status }, output, connect }) {
      if ((deliveryId === undefined) === (since === undefined))
        throw new UsageError('Pass either the ID of a delivery or --since.')
      if (since === undefined && (until !== undefined || status !== undefined))
        throw new UsageError('--until and --status need --since.')
      const { webhooks } = connect()
      const result = await (since === undefined
        ? webhooks.replay(id, deliveryId!)
        : webhooks.replayMany(id, {
            since,
            ...(until !== undefined && { until }),
            ...(status !== undefined && { status: status.toUpperCase() as NonNullable<Replay['status']> }),
          }))
      output.result(result, ({ replayed }) => `Sending ${replayed} ${replayed === 1 ? 'event' : 'events'} again.`)
    },
  }),
  defineCommand({
    call: 'webhooks rotate-secret',
    args: ['ID'],
    what: 'Replaces the secret of a webhook, and prints the new one. The old one remains valid for 24 hours.',
    async run({ args: [id = ''], output, connect }) {
      output.resource(await connect().webhooks.rotateSecret(id))
      output.note('Store the secret now, and replace the old one within 24 hours.')
    },
  }),
]
