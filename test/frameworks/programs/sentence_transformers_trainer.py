import os

from _told import of_trainer, tell
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    losses,
)
from transformers import BertConfig, BertModel, BertTokenizerFast

os.makedirs("bert")
with open("bert/vocab.txt", "w") as file:
    file.write("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c"]))
BertTokenizerFast("bert/vocab.txt").save_pretrained("bert")
config = BertConfig(vocab_size=8, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
BertModel(config).save_pretrained("bert")
model = SentenceTransformer("bert", device="cpu")
trainer = SentenceTransformerTrainer(
    model,
    args=SentenceTransformerTrainingArguments(
        "out", max_steps=2, logging_steps=1, report_to="wandb", use_cpu=True, save_strategy="no", run_name="sentences"
    ),
    train_dataset=Dataset.from_list([{"sentence1": "a b", "sentence2": "b c"}] * 8),
    loss=losses.MultipleNegativesRankingLoss(model),
)
trainer.train()
tell({"name": "sentences", "points": of_trainer(trainer.state.log_history), "config": {"max_steps": 2}})
