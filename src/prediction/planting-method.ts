/** The planting methods, in the order of their code in the columns of a batch and in a comparison. */
export const PLANTING_METHODS = ['manual', 'drone_seeded'] as const;

export type PlantingMethod = (typeof PLANTING_METHODS)[number];

/** Method code of a row that asks for both methods at one site; the codes below it index PLANTING_METHODS. */
export const BOTH_METHODS = PLANTING_METHODS.length;
