import type { EntityManager } from '../platform/db/orm.ts'
import { Refusal } from '../platform/refusal.ts'
import { type Caller, isAtLeast, isKeyStill, KEY_REFUSALS, type Role, scopesOf } from '../workspaces/index.ts'
import type { Operation } from './operation.ts'
import { missingRole, NO_MEMBER } from './refusals.ts'
import type { StillIn } from './visitor.ts'

/** How old the answer to "may they?" may be when a request is whole, in milliseconds. */
const FRESH_MS = 1_000

/** That somebody of a role may ask for an operation. @throws {Refusal} `role_missing` */
export function assertRoleMay({ scope, role: least }: Operation, role: Role): void {
  const needed = least ?? (scope == null || scopesOf(role).includes(scope) ? 'viewer' : 'editor')
  if (!isAtLeast(role, needed)) throw new Refusal(missingRole(needed))
}

/** Whether it is what people alone may, such as changing who may: those are done one after the other in a workspace. */
export const isOfPeople = ({ role }: Operation): boolean => role !== undefined

/**
 * Looks again whether a caller may do what it asks, where its request took long to come: they were let in by its head, and may have been
 * signed out or removed since, or their key deleted.
 *
 * @param admittedAt when it was let in, by `performance.now()`
 * @throws {Refusal} `signed_out`; `no_member`; `role_missing`; `key_unknown`
 */
export async function assertMayWhenWhole(
  em: EntityManager,
  stillIn: StillIn,
  { operation, caller, admittedAt }: { operation: Operation; caller: Caller; admittedAt: number },
): Promise<void> {
  if (performance.now() - admittedAt > FRESH_MS)
    await assertStillMay(em.fork(), stillIn, { operation, caller, admittedAt })
}

/**
 * Looks at a person once more in the transaction that does what they ask: until its end nobody signs them out, removes them or makes them
 * less. A key is looked at where its request took long, and not locked: it would be a row that all of its requests lock.
 *
 * @param admittedAt when it was let in, by `performance.now()`; looked at in any case where nothing is said
 * @returns the caller as it is now @throws {Refusal} `signed_out`; `no_member`; `role_missing`; `key_unknown`
 */
export async function assertStillMay(
  em: EntityManager,
  stillIn: StillIn,
  { operation, caller, admittedAt = -Infinity }: { operation: Operation; caller: Caller; admittedAt?: number },
): Promise<Caller> {
  const { by, workspace } = caller
  if (by.kind === 'key') {
    const isFresh = performance.now() - admittedAt <= FRESH_MS
    if (!isFresh && !(await isKeyStill(em, by.apiKey.id))) throw new Refusal(KEY_REFUSALS['unknown-key'])
    return caller
  }
  const role = await stillIn(em, by.person, workspace.id, { isOwners: isOfPeople(operation) })
  if (role === undefined) throw new Refusal(NO_MEMBER)
  assertRoleMay(operation, role)
  return { ...caller, by: { ...by, person: { ...by.person, role } }, scopes: scopesOf(role) }
}
