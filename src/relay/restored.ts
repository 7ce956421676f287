import { type FolderGeneration, isOtherFolder, sayDataFolder, sayRestored } from '../installation/index.ts'
import { giveUpAttempts, MAY_HAVE_BEEN_SENT } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/**
 * Says that the database was restored: nothing is sent until it is reconciled, and what was being sent, or was to be tried
 * again, is left to people, because it may have been.
 */
export const markRestored = (em: EntityManager): Promise<void> => em.fork().transactional(markWithin)

async function markWithin(unit: EntityManager): Promise<void> {
  await sayRestored(unit)
  await giveUpAttempts(unit, MAY_HAVE_BEEN_SENT)
}

/**
 * Takes a database for restored that is in another data folder than before, or of which somebody says so.
 *
 * @param generation of the data folder, where it is one of `npm start`
 * @param isSaid whether somebody says it, of a folder that cannot be told from what it was
 */
export const markIfRestored = (
  em: EntityManager,
  { generation, isSaid }: { generation: FolderGeneration | undefined; isSaid: boolean },
): Promise<void> =>
  em.fork().transactional(async (unit) => {
    const isOther = generation !== undefined && (await isOtherFolder(unit, generation))
    if (isOther || isSaid) await markWithin(unit)
    if (generation) await sayDataFolder(unit, generation)
  })
