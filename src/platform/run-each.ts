/**
 * Runs a task for each item in turn. One that fails does not keep the others from running.
 *
 * @throws {AggregateError} if any failed, after all have run
 */
export async function runEach<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
  message: string,
): Promise<void> {
  const errors: unknown[] = []
  for (const item of items) {
    try {
      await run(item)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, message)
}
