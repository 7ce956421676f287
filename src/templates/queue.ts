/** Jobs that wait, in turns: each group's first, then each group's second. Nobody's thousand jobs are before another's one. */
export class FairQueue<Job> {
  private readonly groups = new Map<string, Job[]>()

  add(group: string, job: Job): void {
    const waiting = this.groups.get(group)
    if (waiting) waiting.push(job)
    else this.groups.set(group, [job])
  }

  /** @param mayGo whether it can be a group's turn now; one whose turn it can't be keeps it. */
  take(mayGo: (group: string) => boolean = () => true): Job | undefined {
    for (const [group, waiting] of this.groups) {
      if (!mayGo(group)) continue
      const job = waiting.shift()
      // Its turn is over: whatever else it has comes after the others' next.
      this.groups.delete(group)
      if (waiting.length > 0) this.groups.set(group, waiting)
      return job
    }
    return undefined
  }

  takeAll(): Job[] {
    const all = [...this.groups.values()].flat()
    this.groups.clear()
    return all
  }
}

/** Names that were noted lately: at most so many, the latest, and each for so long. */
export class Recent {
  private readonly until = new Map<string, number>()
  private readonly max: number
  private readonly keepMs: number

  constructor(max: number, keepMs: number) {
    this.max = max
    this.keepMs = keepMs
  }

  note(name: string): void {
    this.until.delete(name)
    this.until.set(name, performance.now() + this.keepMs)
    if (this.until.size > this.max) this.until.delete(this.until.keys().next().value!)
  }

  has(name: string): boolean {
    return (this.until.get(name) ?? 0) > performance.now()
  }
}
