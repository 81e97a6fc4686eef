/**
 * Words that say on which side, in which direction or when: "5 below" is neither 5 nor "5 above". Not "left", which is as
 * often what is left over; "right" tells the two apart.
 */
export const turning = new Set(
  [
    'above below under over beneath beyond behind ahead before after until since ago hence less fewer more least most',
    'north south east west northeast northwest southeast southwest right up down upward upwards downward downwards',
    'forward forwards backward backwards clockwise counterclockwise anticlockwise loss losses gain gains profit debt',
    'not no never minus plus bce bc ad ce january february march april may june july august september october november',
    'december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday',
  ].flatMap((line) => line.split(' ')),
);
/** The same in Chinese, at the end of a word; 左右 means "about". */
export const turningEnd = /(?:以|之)?[前后上下内外]$/;
