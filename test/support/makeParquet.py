"""Makes torl.parquet and numbers.parquet beside this file, by pyarrow: python3 makeParquet.py."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

here = Path(__file__).parent


def torl(i: int) -> dict:
    return {
        "data_source": "math500" if i < 4 else "aime24",
        "prompt": [
            {"role": "system", "content": "Reason step by step and put the answer in \\boxed{}."},
            {"role": "user", "content": f"What is {i} times 1001? 答案是多少?"},
        ],
        "ability": "math",
        "reward_model": {"ground_truth": [str(i * 1001)], "stype": "rule"},
        # Ids begin again in each source.
        "extra_info": {"id": i % 4, "split": "test"},
    }


pq.write_table(pa.Table.from_pylist([torl(i) for i in range(10)]), here / "torl.parquet", compression="zstd", row_group_size=4)

big = 2**53 + 1
numbers = pa.table(
    {
        "id": pa.array([1, 2, big], pa.int64()),
        "problem": [f"How much is {n}?" for n in (-7, 0, big)],
        "answer": pa.array([-7, 0, big], pa.int64()),
        "unused": pa.array([1.5, None, 2.5], pa.float64()),
    }
)
pq.write_table(numbers, here / "numbers.parquet", compression="brotli", data_page_version="2.0")
