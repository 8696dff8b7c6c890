/** The most items of a run, which bounds a statement. */
const MAX_ITEMS = 1000;

/**
 * Makes a function that runs one operation at a time and groups all items that arrive meanwhile into the next run. However
 * many callers there are, the process sends one query at a time, and a caller waits for at most two.
 * @param run processes a group of items; returns one result for each, in the same order
 * @returns gives the result of one item. It rejects with the error of the run that the item was part of or waited for
 */
export function coalesce<Item, Result>(run: (items: Item[]) => Promise<Result[]>) {
  const waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let isRunning = false;

  const drain = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, MAX_ITEMS);
      try {
        const results = await run(group.map(({ item }) => item));
        for (const [index, { resolve }] of group.entries()) resolve(results[index]);
      } catch (error) {
        // Waiting items fail with the group: an unavailable store would only make them wait for a second deadline.
        for (const { reject } of [...group, ...waiting.splice(0)]) reject(error);
      }
    }
    isRunning = false;
  };

  return (item: Item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isRunning) void drain();
    });
}
